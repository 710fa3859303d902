import { type LimitResult, compareWithLimit, MEASURED_RUN_COUNT } from '../compare-with-baseline.js';
import type { EventServers } from './event-servers.js';
import { registerEventQueues, SubscribedClients } from './event-subscribers.js';

const EVENT_COUNT_FOR_OTHER_USERS = 100_000;
const EVENTS_PER_SEND_REQUEST = 1_000;
const MAX_EVENT_POLL_FROM_MEMORY_MS = 50;
const MAX_EVENT_POLL_AFTER_START_MS = 500;

/**
 * Smallest id of the users who receive events that the measured queue does not receive. Consecutive events have
 * different audiences.
 */
const FIRST_OTHER_USER_ID = 1_000_000;

/**
 * Measures the first poll of an event queue that has one own event after {@link EVENT_COUNT_FOR_OTHER_USERS} events of other
 * users. Measures two servers: one has read the event log continuously, the other has just started.
 */
export async function measureSleepingEventQueue(servers: EventServers): Promise<LimitResult[]> {
  const realm = 'sleepers';
  const awake = await servers.startComparedServer('product', realm);
  const users = Array.from({ length: 2 * MEASURED_RUN_COUNT + 1 }, (_, index) => index + 1);
  const queues = await registerEventQueues(awake.origin, users);
  const subscribers = await SubscribedClients.openClients(awake.origin, queues);
  try {
    // The last queue's poll makes the process follow the realm.
    const follower = users.length - 1;
    const [followed] = await subscribers.startPolls(follower, users.length);
    for (let sent = 0; sent < EVENT_COUNT_FOR_OTHER_USERS; sent += EVENTS_PER_SEND_REQUEST) {
      await subscribers.sendMessage({
        content: 'for another user',
        to: FIRST_OTHER_USER_ID,
        count: EVENTS_PER_SEND_REQUEST,
      });
    }
    for (let index = 0; index < users.length; index += 1) {
      await subscribers.sendMessage({ content: 'good morning', to: subscribers.getUserIdAt(index) });
    }
    // Waits until all events are in the log, so that their arrival is not measured with the first poll.
    await followed;
    const tail: number[] = [];
    const cold: number[] = [];
    for (let run = 0; run < MEASURED_RUN_COUNT; run += 1) {
      tail.push(await measureFirstEventPoll(subscribers, run));
      const server = await servers.startComparedServer('product', realm);
      const there = await SubscribedClients.openClients(server.origin, queues);
      cold.push(await measureFirstEventPoll(there, MEASURED_RUN_COUNT + run));
      there.close();
      await server.stop();
    }
    return [
      compareWithLimit(
        'Poll of a queue after 100,000 events for others, from memory',
        'ms',
        tail,
        MAX_EVENT_POLL_FROM_MEMORY_MS,
      ),
      compareWithLimit(
        'Poll of a queue after 100,000 events for others, in a new process',
        'ms',
        cold,
        MAX_EVENT_POLL_AFTER_START_MS,
      ),
    ];
  } finally {
    subscribers.close();
  }
}

async function measureFirstEventPoll(subscribers: SubscribedClients, index: number): Promise<number> {
  const started = performance.now();
  const { at, body } = await subscribers.pollOnce(index);
  if (!body.includes('good morning')) throw new Error(`the sleeper got ${body}`);
  return at - started;
}
