import type { MeasuredOperation } from '../../measured-operation.js';
import {
  specialChannelNumbers,
  firstOrdinaryChannelNumber,
  firstOrdinaryUserNumber,
  specialUserNumbers,
} from '../generated-users.js';
import type { MeasuredChatService, ChatRequestParameters } from '../measured-chat-service.js';

const fullRegistrationParameters: ChatRequestParameters = {
  apply_markdown: true,
  client_gravatar: true,
  include_subscribers: 'partial',
  slim_presence: true,
  client_capabilities: { notification_settings_null: true, user_list_incomplete: true, bulk_message_deletion: true },
};

const createQueueRegistrationOperation = (
  name: string,
  n: number,
  parameters: ChatRequestParameters,
): MeasuredOperation<MeasuredChatService> => ({
  name: `register: ${name}`,
  run: async (world) => {
    await world.sendRequest(n, 'POST', '/register', parameters);
  },
});

const createListRequestOperation = (
  name: string,
  n: number,
  path: (world: MeasuredChatService) => string,
  parameters: ChatRequestParameters = {},
) =>
  ({
    name,
    run: async (world) => {
      await world.sendRequest(n, 'GET', path(world), parameters);
    },
  }) satisfies MeasuredOperation<MeasuredChatService>;

const concurrentEventQueueCount = 200;

/** Measured operations that register an event queue, or list users, channels and topics. */
export const registrationAndListOperations: readonly MeasuredOperation<MeasuredChatService>[] = [
  createQueueRegistrationOperation('22 channels', specialUserNumbers.light, fullRegistrationParameters),
  createQueueRegistrationOperation(
    '22 channels, 20 % of all messages',
    specialUserNumbers.heavy,
    fullRegistrationParameters,
  ),
  createQueueRegistrationOperation(
    '22 channels, 20 % of all messages unread',
    specialUserNumbers.backlog,
    fullRegistrationParameters,
  ),
  createQueueRegistrationOperation('most channels', specialUserNumbers.many, fullRegistrationParameters),
  createQueueRegistrationOperation('most channels, all subscribers', specialUserNumbers.many, {
    ...fullRegistrationParameters,
    include_subscribers: true,
  }),
  createQueueRegistrationOperation('limited guest', specialUserNumbers.guest, fullRegistrationParameters),
  createQueueRegistrationOperation('realm alone', specialUserNumbers.light, {
    event_types: ['message'],
    fetch_event_types: ['realm'],
  }),
  createQueueRegistrationOperation('realm_bot alone', specialUserNumbers.light, {
    event_types: ['message'],
    fetch_event_types: ['realm_bot'],
  }),
  {
    ...createQueueRegistrationOperation('again after a change', specialUserNumbers.light, fullRegistrationParameters),
    runs: 5,
    before: async (world, run) => {
      await world.sendRequest(specialUserNumbers.light, 'PATCH', '/settings', {
        timezone: run % 2 === 0 ? 'Europe/Berlin' : 'Europe/Paris',
      });
    },
  },
  createListRequestOperation('GET /users', specialUserNumbers.light, () => '/users'),
  createListRequestOperation('GET /users, limited guest', specialUserNumbers.guest, () => '/users'),
  createListRequestOperation(
    'GET /users/{id}',
    specialUserNumbers.light,
    ({ ids }) => `/users/${ids.user(firstOrdinaryUserNumber)}`,
  ),
  createListRequestOperation(
    'GET /users/{id}, limited guest',
    specialUserNumbers.guest,
    ({ ids }) => `/users/${ids.user(specialUserNumbers.guest)}`,
  ),
  createListRequestOperation('GET /streams', specialUserNumbers.light, () => '/streams'),
  createListRequestOperation(
    'GET /users/me/subscriptions, 22 channels',
    specialUserNumbers.light,
    () => '/users/me/subscriptions',
  ),
  createListRequestOperation(
    'GET /users/me/subscriptions, most channels',
    specialUserNumbers.many,
    () => '/users/me/subscriptions',
    {
      include_subscribers: true,
    },
  ),
  createListRequestOperation(
    'members of the full channel',
    specialUserNumbers.light,
    ({ ids }) => `/streams/${ids.channel(specialChannelNumbers.full)}/members`,
  ),
  createListRequestOperation(
    'topics of the wide channel',
    specialUserNumbers.heavy,
    ({ ids }) => `/users/me/${ids.channel(specialChannelNumbers.wide)}/topics`,
  ),
  createListRequestOperation(
    'topics of a channel',
    specialUserNumbers.heavy,
    ({ ids }) => `/users/me/${ids.channel(firstOrdinaryChannelNumber)}/topics`,
  ),
  createListRequestOperation('GET /user_groups', specialUserNumbers.light, () => '/user_groups'),
  createListRequestOperation('GET /realm/presence', specialUserNumbers.light, () => '/realm/presence'),
  {
    name: `${concurrentEventQueueCount} registrations at once`,
    runs: 1,
    run: async (world) => {
      const people = Array.from({ length: concurrentEventQueueCount }, (_, at) => firstOrdinaryUserNumber + at);
      await Promise.all(people.map((n) => world.sendRequest(n, 'POST', '/register', fullRegistrationParameters)));
    },
  },
  createEventQueuePollOperation(1_000),
  { ...createEventQueuePollOperation(5_000), sizes: ['middle', 'large'] },
];

/** Returns an operation that polls the given number of event queues concurrently. Opening the queues is not timed. */
function createEventQueuePollOperation(queues: number): MeasuredOperation<MeasuredChatService> {
  return {
    name: `${queues.toLocaleString('en')} queues polled at once`,
    runs: 1,
    run: async (world) => {
      const people = Array.from(
        { length: queues },
        (_, at) => 1 + (at % (world.size.people - firstOrdinaryUserNumber)),
      );
      const opened = await sendRequestsInBatches(people, async (n) => {
        const text = await world.sendRequest(n, 'POST', '/register', { event_types: ['realm'], fetch_event_types: [] });
        return { n, ...(JSON.parse(text) as { queue_id: string }) };
      });
      const began = performance.now();
      await Promise.all(
        opened.map(({ n, queue_id }) =>
          world.sendRequest(n, 'GET', '/events', { queue_id, last_event_id: -1, dont_block: true }),
        ),
      );
      return performance.now() - began;
    },
  };
}

async function sendRequestsInBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < items.length; at += 20) done.push(...(await Promise.all(items.slice(at, at + 20).map(work))));
  return done;
}
