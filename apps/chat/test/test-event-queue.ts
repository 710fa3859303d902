import { expect } from 'vitest';
import type { ChatProcess, DemoUser } from './chat-server.js';
import type { PollAnswer } from './event-queue-requests.js';

/** An event without its id, for comparisons in tests. */
type SeenEvent = Record<string, unknown>;

/** Client of an event queue. The client records which events the test has already read. */
export interface TestQueue {
  /** Returns the events of the queue since the last call, including all events committed before the current call. */
  read(): Promise<SeenEvent[]>;
  /** Polls the event queue once and returns the response. */
  poll(): Promise<PollAnswer>;
}

/** Registers an event queue for events of the given types, and returns a client of the queue. */
export async function openTestEventQueue(
  process: ChatProcess,
  user: DemoUser,
  eventTypes: readonly string[],
  form: Record<string, string> = {},
): Promise<TestQueue> {
  const { body } = await user.client.post<{ queue_id: string; last_event_id: number; msg: string }>(
    '/api/v1/register',
    {
      form: { event_types: JSON.stringify(eventTypes), fetch_event_types: '[]', ...form },
    },
  );
  let last = body.last_event_id;
  const poll = async (): Promise<PollAnswer> => {
    await process.runtime.eventLog.sweep();
    const query = { queue_id: body.queue_id, last_event_id: last, dont_block: true };
    return (await user.client.get<PollAnswer>('/api/v1/events', { query })).body;
  };
  return {
    poll,
    async read() {
      const { events, msg } = await poll();
      expect(msg).toBe('');
      last = events.at(-1)?.id ?? last;
      return events.map(({ id: _id, ...event }) => event);
    },
  };
}
