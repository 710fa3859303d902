import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';
import { openTestEventQueue } from '../../../../test/test-event-queue.js';
import { listDueMessagesSql, nextScheduledMessageTimeSql } from './due-messages.repository.js';

type Json = Record<string, unknown>;

let cluster: ChatCluster;
let chat: ChatProcess;
let other: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let zoe: DemoUser;
let verona: number;

const path = '/api/v1/scheduled_messages';
const later = 4_000_000_000;

beforeAll(async () => {
  cluster = await chatCluster();
  // Two processes query due messages concurrently.
  [chat, other] = await Promise.all([cluster.start(), cluster.start()]);
  [hamlet, iago, zoe] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago'), signIn(chat, 'ZOE')]);
  const { body } = await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', {
    query: { stream: 'Verona' },
  });
  verona = body.stream_id;
});
afterAll(() => cluster.stop());
beforeEach(async () => void (await query('DELETE FROM scheduled_messages')));

const query = async <R>(sql: string, params: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, params)).rows;

async function schedule(user: DemoUser, content: string, values: Record<string, string> = {}): Promise<number> {
  const message = { type: 'channel', to: String(verona), topic: 'delivery', content };
  const form = { ...message, scheduled_delivery_timestamp: String(later), ...values };
  const { body } = await user.client.post<{ msg: string; scheduled_message_id: number }>(path, { form });
  expect(body.msg).toBe('');
  return body.scheduled_message_id;
}

/** Makes stored scheduled messages due by moving the scheduled time to the given number of seconds ago. */
async function makeDue(ids: readonly number[], secondsAgo = 1): Promise<void> {
  await query(
    `UPDATE scheduled_messages SET deliver_at = now() - make_interval(secs => $2),
       attempt_at = now() - make_interval(secs => $2) WHERE id = ANY($1)`,
    [ids, secondsAgo],
  );
}

const sent = (content: string) =>
  query<{ id: number; sender_id: number; content: string }>(
    `SELECT m.id, m.sender_id, x.content FROM messages m JOIN message_texts x ON x.message_id = m.id
     WHERE x.content LIKE $1 || '%' ORDER BY m.id`,
    [content],
  );

const isGone = async (id: number) => (await query('SELECT FROM scheduled_messages WHERE id = $1', [id])).length === 0;

const failureOf = (id: number) =>
  waitFor(async () => {
    const [row] = await query<{ failure: string | null }>('SELECT failure FROM scheduled_messages WHERE id = $1', [id]);
    return row?.failure;
  });

/** Returns the messages that Notification Bot sent to a user and whose content includes a given text. */
const notices = (user: DemoUser, text: string) =>
  query<{ content: string }>(
    `SELECT x.content FROM messages m JOIN message_texts x ON x.message_id = m.id
     JOIN users bot ON bot.id = m.sender_id AND bot.is_system_bot
     JOIN user_messages um ON um.message_id = m.id AND um.user_id = $1
     WHERE strpos(x.content, $2) > 0`,
    [user.id, text],
  );

describe('DeliverScheduledMessages', () => {
  it('sends a message when the message is due, and emits its removal from the scheduled messages', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['scheduled_messages', 'message']);
    const at = Math.floor(Date.now() / 1000) + 2;
    const id = await schedule(hamlet, 'at its time', {
      scheduled_delivery_timestamp: String(at),
      read_by_sender: 'true',
    });
    const [message] = await waitFor(async () => ((await sent('at its time')).length > 0 ? sent('at its time') : null));
    expect(Date.now() / 1000).toBeGreaterThanOrEqual(at);
    expect(await isGone(id)).toBe(true);
    const flags = 'SELECT flags & 1 AS read FROM user_messages WHERE user_id = $1 AND message_id = $2';
    expect(await query(flags, [hamlet.id, message?.id])).toEqual([{ read: 1 }]);
    const events = await queue.read();
    expect(events).toMatchObject([
      { type: 'scheduled_messages', op: 'add' },
      { type: 'message', message: { id: message?.id, content: expect.stringContaining('at its time') } },
      { type: 'scheduled_messages', op: 'remove', scheduled_message_id: id },
    ]);
  });

  it('sends each message once when several workers search for due messages concurrently', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 30; n += 1) {
      const direct = { type: 'direct', to: JSON.stringify([iago.id]) };
      ids.push(await schedule(hamlet, `once ${n}.`, n % 3 === 0 ? direct : { topic: `topic ${n % 5}` }));
    }
    await makeDue(ids);
    await waitFor(async () => (await query('SELECT FROM scheduled_messages')).length === 0);
    const contents = (await sent('once ')).map(({ content }) => content);
    expect(contents.toSorted()).toEqual(ids.map((_id, n) => `once ${n}.`).toSorted());
  });

  it('sends the first message of an empty channel together with other due messages', async () => {
    const subscriptions = JSON.stringify([{ name: 'empty channel' }]);
    await iago.client.post('/api/v1/users/me/subscriptions', { form: { subscriptions, announce: 'false' } });
    const [channel] = await query<{ id: number }>("SELECT id FROM channels WHERE name = 'empty channel'");
    await query('DELETE FROM messages WHERE recipient_id = (SELECT id FROM recipients WHERE channel_id = $1)', [
      channel?.id,
    ]);
    const ids = [
      await schedule(iago, 'beside the first with @**King Hamlet**'),
      await schedule(iago, 'first of all', { to: String(channel?.id) }),
      await schedule(iago, 'beside the first, in another topic', { topic: 'another' }),
    ];
    await makeDue(ids);
    await waitFor(async () => (await query('SELECT FROM scheduled_messages')).length === 0);
    expect(await sent('first of all')).toHaveLength(1);
    expect(await sent('beside the first')).toHaveLength(2);
  });

  it('sends reminders as Notification Bot, even late, with the current content of the message', async () => {
    const direct = { type: 'direct', to: JSON.stringify([hamlet.id]), content: 'before' };
    const { body } = await iago.client.post<{ id: number }>('/api/v1/messages', { form: direct });
    const form = { message_id: String(body.id), scheduled_delivery_timestamp: String(later), note: 'remember me' };
    const reminder = await hamlet.client.post<{ reminder_id: number }>('/api/v1/reminders', { form });
    await iago.client.patch(`/api/v1/messages/${body.id}`, { form: { content: 'after' } });
    await makeDue([reminder.body.reminder_id], 3600);
    await waitFor(() => isGone(reminder.body.reminder_id));
    const [notice] = await notices(hamlet, 'remember me');
    expect(notice?.content).toMatch(/```quote\nafter\n```$/);
  });

  it('sends reminders without quote, author and conversation when the user can no longer read the message', async () => {
    const direct = { type: 'direct', to: JSON.stringify([hamlet.id]), content: 'confidential' };
    const { body } = await iago.client.post<{ id: number }>('/api/v1/messages', { form: direct });
    const form = { message_id: String(body.id), scheduled_delivery_timestamp: String(later), note: 'still mine' };
    const reminder = await hamlet.client.post<{ reminder_id: number }>('/api/v1/reminders', { form });
    await query('DELETE FROM user_messages WHERE message_id = $1', [body.id]);
    await makeDue([reminder.body.reminder_id]);
    await waitFor(() => isGone(reminder.body.reminder_id));
    expect(await notices(hamlet, 'still mine')).toEqual([
      { content: 'You asked to be reminded of a message that is no longer available. Note:\n> still mine' },
    ]);
  });
});

describe('DeliverScheduledMessages: failures', () => {
  it('marks a forbidden message as failed, and lets the notified author set a new time', async () => {
    const id = await schedule(hamlet, 'to an archived channel');
    const queue = await openTestEventQueue(chat, hamlet, ['scheduled_messages']);
    await query('UPDATE channels SET is_archived = true WHERE id = $1', [verona]);
    await makeDue([id]);
    expect(await failureOf(id)).toBe("Not authorized to send to channel 'Verona'");
    await query('UPDATE channels SET is_archived = false WHERE id = $1', [verona]);
    expect(await notices(hamlet, "Not authorized to send to channel 'Verona'")).toHaveLength(1);
    const { body } = await hamlet.client.get<{ scheduled_messages: Json[] }>(path);
    expect(body.scheduled_messages).toMatchObject([{ scheduled_message_id: id, failed: true }]);
    expect(await queue.read()).toMatchObject([
      { op: 'update', scheduled_message: { scheduled_message_id: id, failed: true } },
    ]);
    const inFuture = { msg: 'Scheduled delivery time must be in the future.' };
    expect((await hamlet.client.patch(`${path}/${id}`, { form: { content: 'x' } })).body).toMatchObject(inFuture);
    await hamlet.client.patch(`${path}/${id}`, { form: { scheduled_delivery_timestamp: String(later) } });
    await makeDue([id]);
    await waitFor(() => isGone(id));
    expect(await sent('to an archived channel')).toHaveLength(1);
  });

  it('marks messages as failed that are more than ten minutes late', async () => {
    const [late, inTime] = [await schedule(hamlet, 'too late'), await schedule(hamlet, 'late enough')];
    await Promise.all([makeDue([late], 620), makeDue([inTime], 580)]);
    expect(await failureOf(late)).toBe('The message could not be sent at its time.');
    await waitFor(() => isGone(inTime));
    expect(await sent('too late')).toEqual([]);
    expect(await notices(hamlet, 'The message could not be sent at its time.')).toHaveLength(1);
  });

  it('marks messages of deactivated accounts as failed without a notification', async () => {
    const id = await schedule(zoe, 'from a deactivated account');
    await query('UPDATE users SET is_active = false WHERE id = $1', [zoe.id]);
    await makeDue([id]);
    expect(await failureOf(id)).toBe('Account is deactivated');
    expect(await sent('from a deactivated account')).toEqual([]);
    expect(await notices(zoe, 'Account is deactivated')).toEqual([]);
  });

  it('marks late messages as failed even if their authors cannot be notified', async () => {
    await query(
      "ALTER TABLE message_texts ADD CONSTRAINT no_notice CHECK (content NOT LIKE '%was not sent%') NOT VALID",
    );
    const [late, inTime] = [await schedule(hamlet, 'late without notice'), await schedule(hamlet, 'behind it')];
    await makeDue([late], 700);
    await makeDue([inTime]);
    expect(await failureOf(late)).toBe('The message could not be sent at its time.');
    await waitFor(() => isGone(inTime));
    await query('ALTER TABLE message_texts DROP CONSTRAINT no_notice');
    expect(await sent('behind it')).toHaveLength(1);
  });

  it('retries after an unexpected error', async () => {
    const content = 'x'.repeat(20);
    const id = await schedule(hamlet, content);
    await query("ALTER TABLE message_texts ADD CONSTRAINT no_x CHECK (content NOT LIKE 'xxx%') NOT VALID");
    const well = await schedule(hamlet, 'beside a failing one');
    await makeDue([id, well]);
    await waitFor(() => isGone(well));
    await waitFor(async () => {
      const rows = await query('SELECT FROM scheduled_messages WHERE id = $1 AND attempt_at > now()', [id]);
      return rows.length === 1;
    });
    await query('ALTER TABLE message_texts DROP CONSTRAINT no_x');
    await makeDue([id]);
    await waitFor(() => isGone(id));
    expect(await sent(content)).toHaveLength(1);
  });
});

describe('PATCH and DELETE /scheduled_messages/{id} during a delivery', () => {
  it('wait until the message is sent, and then respond 404', async () => {
    const id = await schedule(hamlet, 'during its delivery');
    const form = { content: 'changed' };
    let requests: Promise<{ status: number }>[] = [];
    await other.runtime.database.inTransaction(async (tx) => {
      await tx.query('SELECT FROM recipients WHERE channel_id = $1 FOR UPDATE', [verona]);
      await makeDue([id]);
      const skipped = 'SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE SKIP LOCKED';
      await waitFor(async () => (await query(skipped, [id])).length === 0);
      requests = [hamlet.client.patch(`${path}/${id}`, { form }), hamlet.client.delete(`${path}/${id}`)];
      await delay(100);
    });
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([404, 404]);
    expect((await sent('during its delivery')).map(({ content }) => content)).toEqual(['during its delivery']);
  });

  it('prevent the delivery if the request locks the message first', async () => {
    const [removed, moved] = [await schedule(hamlet, 'removed first'), await schedule(hamlet, 'moved first')];
    await other.runtime.database.inTransaction(async (tx) => {
      await tx.query('SELECT FROM scheduled_messages WHERE id = ANY($1) FOR UPDATE', [[removed, moved]]);
      const due = "UPDATE scheduled_messages SET attempt_at = now() - interval '1 second' WHERE id = ANY($1)";
      await tx.query(due, [[removed, moved]]);
      await delay(200);
      await tx.query('DELETE FROM scheduled_messages WHERE id = $1', [removed]);
      await tx.query("UPDATE scheduled_messages SET attempt_at = now() + interval '1 day' WHERE id = $1", [moved]);
    });
    const last = await schedule(hamlet, 'last of all');
    await makeDue([last]);
    await waitFor(() => isGone(last));
    expect(await sent('removed first')).toEqual([]);
    expect(await sent('moved first')).toEqual([]);
  });
});

describe('listDueMessages and readNextScheduledMessageTime', () => {
  it('read only entries of due messages from the index', async () => {
    await query(
      `INSERT INTO scheduled_messages (user_id, type, to_ids, topic, content, rendered_content, client, read_by_sender,
         deliver_at, attempt_at)
       SELECT $1, 'private', '{}', '', 'x', 'x', 'test', false, t, t
       FROM generate_series(1, 30000) n, LATERAL (SELECT now() + make_interval(days => 1 + n % 999) AS t) AS time`,
      [hamlet.id],
    );
    await query('ANALYZE scheduled_messages');
    const planOf = async (sql: string, params: unknown[]) => {
      const rows = await query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, params);
      return JSON.stringify(rows[0]?.['QUERY PLAN']);
    };
    const plans = [await planOf(listDueMessagesSql, [new Date(), 100]), await planOf(nextScheduledMessageTimeSql, [])];
    for (const plan of plans) {
      expect(plan).toContain('scheduled_messages_attempt_at_id_idx');
      expect(plan).not.toContain('Seq Scan');
      expect(Number(/"Shared Hit Blocks":(\d+)/.exec(plan)?.[1])).toBeLessThan(20);
    }
  });
});
