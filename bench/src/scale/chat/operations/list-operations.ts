import type { MeasuredOperation } from '../../measured-operation.js';
import {
  specialChannelNumbers,
  firstOrdinaryChannel,
  firstOrdinaryUser,
  specialUserNumbers,
} from '../generated-users.js';
import type { MeasuredChatService, RequestParameters } from '../measured-chat-service.js';

const fetchAllParameters: RequestParameters = {
  apply_markdown: true,
  client_gravatar: true,
  include_subscribers: 'partial',
  slim_presence: true,
  client_capabilities: { notification_settings_null: true, user_list_incomplete: true, bulk_message_deletion: true },
};

const registerOperation = (
  name: string,
  n: number,
  parameters: RequestParameters,
): MeasuredOperation<MeasuredChatService> => ({
  name: `register: ${name}`,
  run: async (world) => {
    await world.send(n, 'POST', '/register', parameters);
  },
});

const listOperation = (
  name: string,
  n: number,
  path: (world: MeasuredChatService) => string,
  parameters: RequestParameters = {},
) =>
  ({
    name,
    run: async (world) => {
      await world.send(n, 'GET', path(world), parameters);
    },
  }) satisfies MeasuredOperation<MeasuredChatService>;

const concurrentQueues = 200;

/** Measured operations that register an event queue, or list users, channels and topics. */
export const listOperations: readonly MeasuredOperation<MeasuredChatService>[] = [
  registerOperation('22 channels', specialUserNumbers.light, fetchAllParameters),
  registerOperation('22 channels, 20 % of all messages', specialUserNumbers.heavy, fetchAllParameters),
  registerOperation('22 channels, 20 % of all messages unread', specialUserNumbers.backlog, fetchAllParameters),
  registerOperation('most channels', specialUserNumbers.many, fetchAllParameters),
  registerOperation('most channels, all subscribers', specialUserNumbers.many, {
    ...fetchAllParameters,
    include_subscribers: true,
  }),
  registerOperation('limited guest', specialUserNumbers.guest, fetchAllParameters),
  registerOperation('realm alone', specialUserNumbers.light, {
    event_types: ['message'],
    fetch_event_types: ['realm'],
  }),
  registerOperation('realm_bot alone', specialUserNumbers.light, {
    event_types: ['message'],
    fetch_event_types: ['realm_bot'],
  }),
  {
    ...registerOperation('again after a change', specialUserNumbers.light, fetchAllParameters),
    runs: 5,
    before: async (world, run) => {
      await world.send(specialUserNumbers.light, 'PATCH', '/settings', {
        timezone: run % 2 === 0 ? 'Europe/Berlin' : 'Europe/Paris',
      });
    },
  },
  listOperation('GET /users', specialUserNumbers.light, () => '/users'),
  listOperation('GET /users, limited guest', specialUserNumbers.guest, () => '/users'),
  listOperation('GET /users/{id}', specialUserNumbers.light, ({ ids }) => `/users/${ids.user(firstOrdinaryUser)}`),
  listOperation(
    'GET /users/{id}, limited guest',
    specialUserNumbers.guest,
    ({ ids }) => `/users/${ids.user(specialUserNumbers.guest)}`,
  ),
  listOperation('GET /streams', specialUserNumbers.light, () => '/streams'),
  listOperation('GET /users/me/subscriptions, 22 channels', specialUserNumbers.light, () => '/users/me/subscriptions'),
  listOperation(
    'GET /users/me/subscriptions, most channels',
    specialUserNumbers.many,
    () => '/users/me/subscriptions',
    {
      include_subscribers: true,
    },
  ),
  listOperation(
    'members of the full channel',
    specialUserNumbers.light,
    ({ ids }) => `/streams/${ids.channel(specialChannelNumbers.full)}/members`,
  ),
  listOperation(
    'topics of the wide channel',
    specialUserNumbers.heavy,
    ({ ids }) => `/users/me/${ids.channel(specialChannelNumbers.wide)}/topics`,
  ),
  listOperation(
    'topics of a channel',
    specialUserNumbers.heavy,
    ({ ids }) => `/users/me/${ids.channel(firstOrdinaryChannel)}/topics`,
  ),
  listOperation('GET /user_groups', specialUserNumbers.light, () => '/user_groups'),
  listOperation('GET /realm/presence', specialUserNumbers.light, () => '/realm/presence'),
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
function pollQueuesOperation(queues: number): MeasuredOperation<MeasuredChatService> {
  return {
    name: `${queues.toLocaleString('en')} queues polled at once`,
    runs: 1,
    run: async (world) => {
      const people = Array.from({ length: queues }, (_, at) => 1 + (at % (world.size.people - firstOrdinaryUser)));
      const opened = await runRequestsInParts(people, async (n) => {
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

async function runRequestsInParts<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < items.length; at += 20) done.push(...(await Promise.all(items.slice(at, at + 20).map(work))));
  return done;
}
