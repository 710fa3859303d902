import type { Operation } from '../../measured-operation.js';
import { channel, firstOrdinaryChannel, firstOrdinaryUser, person } from '../generated-users.js';
import type { ChatWorld, RequestParameters } from '../measured-chat-service.js';

const fetchAllParameters: RequestParameters = {
  apply_markdown: true,
  client_gravatar: true,
  include_subscribers: 'partial',
  slim_presence: true,
  client_capabilities: { notification_settings_null: true, user_list_incomplete: true, bulk_message_deletion: true },
};

const registerOperation = (name: string, n: number, parameters: RequestParameters): Operation<ChatWorld> => ({
  name: `register: ${name}`,
  run: async (world) => {
    await world.send(n, 'POST', '/register', parameters);
  },
});

const listOperation = (
  name: string,
  n: number,
  path: (world: ChatWorld) => string,
  parameters: RequestParameters = {},
) =>
  ({
    name,
    run: async (world) => {
      await world.send(n, 'GET', path(world), parameters);
    },
  }) satisfies Operation<ChatWorld>;

const concurrentQueues = 200;

/** Operations that register an event queue, or list users, channels and topics. */
export const listOperations: readonly Operation<ChatWorld>[] = [
  registerOperation('22 channels', person.light, fetchAllParameters),
  registerOperation('22 channels, 20 % of all messages', person.heavy, fetchAllParameters),
  registerOperation('22 channels, 20 % of all messages unread', person.backlog, fetchAllParameters),
  registerOperation('most channels', person.many, fetchAllParameters),
  registerOperation('most channels, all subscribers', person.many, {
    ...fetchAllParameters,
    include_subscribers: true,
  }),
  registerOperation('limited guest', person.guest, fetchAllParameters),
  registerOperation('realm alone', person.light, { event_types: ['message'], fetch_event_types: ['realm'] }),
  registerOperation('realm_bot alone', person.light, { event_types: ['message'], fetch_event_types: ['realm_bot'] }),
  {
    ...registerOperation('again after a change', person.light, fetchAllParameters),
    runs: 5,
    before: async (world, run) => {
      await world.send(person.light, 'PATCH', '/settings', {
        timezone: run % 2 === 0 ? 'Europe/Berlin' : 'Europe/Paris',
      });
    },
  },
  listOperation('GET /users', person.light, () => '/users'),
  listOperation('GET /users, limited guest', person.guest, () => '/users'),
  listOperation('GET /users/{id}', person.light, ({ ids }) => `/users/${ids.user(firstOrdinaryUser)}`),
  listOperation('GET /users/{id}, limited guest', person.guest, ({ ids }) => `/users/${ids.user(person.guest)}`),
  listOperation('GET /streams', person.light, () => '/streams'),
  listOperation('GET /users/me/subscriptions, 22 channels', person.light, () => '/users/me/subscriptions'),
  listOperation('GET /users/me/subscriptions, most channels', person.many, () => '/users/me/subscriptions', {
    include_subscribers: true,
  }),
  listOperation(
    'members of the full channel',
    person.light,
    ({ ids }) => `/streams/${ids.channel(channel.full)}/members`,
  ),
  listOperation(
    'topics of the wide channel',
    person.heavy,
    ({ ids }) => `/users/me/${ids.channel(channel.wide)}/topics`,
  ),
  listOperation(
    'topics of a channel',
    person.heavy,
    ({ ids }) => `/users/me/${ids.channel(firstOrdinaryChannel)}/topics`,
  ),
  listOperation('GET /user_groups', person.light, () => '/user_groups'),
  listOperation('GET /realm/presence', person.light, () => '/realm/presence'),
  {
    name: `${concurrentQueues} registrations at once`,
    runs: 1,
    run: async (world) => {
      const people = Array.from({ length: concurrentQueues }, (_, at) => firstOrdinaryUser + at);
      await Promise.all(people.map((n) => world.send(n, 'POST', '/register', fetchAllParameters)));
    },
  },
  pollQueuesOperation(1_000),
  { ...pollQueuesOperation(5_000), sizes: ['middle', 'large'] },
];

/** Returns an operation that polls the given number of event queues concurrently. Opening the queues is not timed. */
function pollQueuesOperation(queues: number): Operation<ChatWorld> {
  return {
    name: `${queues.toLocaleString('en')} queues polled at once`,
    runs: 1,
    run: async (world) => {
      const people = Array.from({ length: queues }, (_, at) => 1 + (at % (world.size.people - firstOrdinaryUser)));
      const opened = await runInParts(people, async (n) => {
        const text = await world.send(n, 'POST', '/register', { event_types: ['realm'], fetch_event_types: [] });
        return { n, ...(JSON.parse(text) as { queue_id: string }) };
      });
      const began = performance.now();
      await Promise.all(
        opened.map(({ n, queue_id }) =>
          world.send(n, 'GET', '/events', { queue_id, last_event_id: -1, dont_block: true }),
        ),
      );
      return performance.now() - began;
    },
  };
}

async function runInParts<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < items.length; at += 20) done.push(...(await Promise.all(items.slice(at, at + 20).map(work))));
  return done;
}
