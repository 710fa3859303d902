import { expect } from 'vitest';
import type { ChatProcess, DemoUser } from './chat-server.js';
import { fetchPendingEvents, poll, type QueueEvent } from './event-queue-requests.js';

/** Environment variables with which a chat process removes expired event queues immediately. */
export const collectingProcess = { EVENT_QUEUE_COLLECT_MS: '100' };

/** Body of a response of POST /register, with arbitrary fields. */
export type Registered = Record<string, unknown> & {
  queue_id: string;
  last_event_id: number;
  delta?: { events: QueueEvent[] } | null;
};

/** Registers an event queue that continues an existing event queue, and returns the response of POST /register. */
export async function registerAgain(
  user: DemoUser,
  form: Record<string, string>,
  known: { queue_id: string; last_event_id: number },
): Promise<Registered> {
  const { body } = await user.client.post<Registered>('/api/v1/register', {
    form: { ...form, last_known: JSON.stringify(known) },
  });
  expect(body['msg']).toBe('');
  return body;
}

/** Returns the name of a Redis key of the event log of the demo realm. */
export async function eventLogKey({ runtime }: ChatProcess, name: string): Promise<string> {
  const { rows } = await runtime.database.query<{ id: number }>("SELECT id FROM realms WHERE string_id <> ''");
  return `{${runtime.config.REDIS_KEY_PREFIX}:${rows[0]!.id}}:${name}`;
}

/**
 * Makes an event queue expire, and makes the process remove the expired queue. The process must have been started with
 * {@link collectingProcess}.
 */
export async function collectQueue(process: ChatProcess, queueId: string): Promise<void> {
  const { redis, eventLog } = process.runtime;
  const due = await eventLogKey(process, 'due');
  expect(await redis.zadd(due, 'XX', 'CH', 1, queueId)).toBe(1);
  await expect
    .poll(async () => {
      await eventLog.sweep();
      return redis.zscore(due, queueId);
    })
    .toBeNull();
}

/**
 * Names of snapshot fields that a delta omits if the client receives the events that update the fields. A delta
 * contains the events missed since the earlier queue (docs/contract/chat.md 4.6).
 */
export const maintainedFields: ReadonlySet<string> = new Set([
  'realm_users',
  'realm_non_active_users',
  'cross_realm_bots',
  'realm_bots',
  'realm_user_groups',
  'streams',
  'subscriptions',
  'unsubscribed',
  'never_subscribed',
  'realm_default_streams',
  'starred_messages',
  'alert_words',
  'muted_users',
  'drafts',
  'saved_snippets',
  'scheduled_messages',
  'navigation_views',
]);

/**
 * Fraction of the event queues that {@link eventsWithDelta} continues by a new registration. To continue all queues
 * would take too long.
 */
const CONTINUED_FRACTION = 1 / 3;

/**
 * Returns the pending events of an event queue. For some randomly chosen queues, only the first events come from the
 * queue. The remaining events come from a registration that continues the queue, which may have been removed before.
 * Checks that the combined events equal the queue's events. Also checks that the registration omits only fields that
 * events update, and that other fields equal the fields of a new snapshot.
 */
export async function eventsWithDelta(
  process: ChatProcess,
  user: DemoUser,
  { queueId, form }: { queueId: string; form: Record<string, string> },
): Promise<QueueEvent[]> {
  await process.runtime.eventLog.sweep();
  const { events, msg } = await poll(user, queueId, { dont_block: true });
  expect(msg).toBe('');
  if (Math.random() > CONTINUED_FRACTION) return events;
  const applied = events.slice(0, Math.floor(Math.random() * (events.length + 1)));
  if (Math.random() < 0.3) await collectQueue(process, queueId);
  const known = { queue_id: queueId, last_event_id: applied.at(-1)?.id ?? -1 };
  const { delta, queue_id: continued, ...fields } = await registerAgain(user, form, known);
  expect(delta?.events).toEqual(events.slice(applied.length));
  expect(await fetchPendingEvents(process, user, continued)).toEqual([]);
  const { body: fresh } = await user.client.post<Registered>('/api/v1/register', { form });
  const { queue_id: _queue, server_timestamp: _time, ...rest } = fresh;
  for (const [name, value] of Object.entries(rest)) {
    if (name in fields) expect(fields[name], name).toEqual(value);
    else expect(maintainedFields).toContain(name);
  }
  return [...applied, ...(delta?.events ?? [])];
}
