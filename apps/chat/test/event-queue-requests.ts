import { expect } from 'vitest';
import type { ChatProcess, DemoUser } from './chat-server.js';

/** An event in a response of GET /events, with arbitrary fields, for comparisons in tests. */
export interface QueueEvent extends Record<string, unknown> {
  id: number;
  type: string;
  flags?: string[];
  message?: { id: number; subject: string };
}

/** Body of a successful or failed response of GET /events. */
export interface PollAnswer {
  events: QueueEvent[];
  queue_id: string;
  code?: string;
  msg: string;
}

/** Registers an event queue, by default without any snapshot data. Returns the id of the queue. */
export async function registerTestEventQueue(user: DemoUser, form: Record<string, string> = {}): Promise<string> {
  const { status, body } = await user.client.post<{ queue_id: string; msg: string }>('/api/v1/register', {
    form: { fetch_event_types: '[]', ...form },
  });
  expect({ status, msg: body.msg }).toEqual({ status: 200, msg: '' });
  return body.queue_id;
}

/** Polls an event queue, by default from the first event of the queue. Returns the response body. */
export async function poll(
  user: DemoUser,
  queueId: string,
  query: Record<string, string | number | boolean> = {},
): Promise<PollAnswer> {
  const { body } = await user.client.get<PollAnswer>('/api/v1/events', {
    query: { queue_id: queueId, last_event_id: -1, ...query },
  });
  return body;
}

/** Returns the pending events of an event queue, including all events committed before the call. */
export async function fetchPendingEvents(process: ChatProcess, user: DemoUser, queueId: string): Promise<QueueEvent[]> {
  await process.runtime.eventLog.sweep();
  const { events, msg } = await poll(user, queueId, { dont_block: true });
  expect(msg).toBe('');
  return events;
}

/** Sends a message, by default to the channel Verona, and returns the id of the message. */
export async function send(user: DemoUser, form: Record<string, string> = {}): Promise<number> {
  const { body } = await user.client.post<{ id: number; msg: string }>('/api/v1/messages', {
    form: { type: 'channel', to: 'Verona', topic: 'events', content: 'x', ...form },
  });
  expect(body.msg).toBe('');
  return body.id;
}
