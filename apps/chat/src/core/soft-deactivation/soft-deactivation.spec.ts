import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listSoftDeactivationCandidates } from './soft-deactivate-users.js';
import { softDeactivateUsers, OmittedMessageRowWriter, writeOmittedRowsOfMessages } from './index.js';
import { writeBatchOfOmittedRows } from './write-rows-of-returning-users.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { measurePlanCost, RecordingTx } from '../../../test/explain-query-plan.js';

let cluster: ChatCluster;
let processes: ChatProcess[];
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let zoe: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  processes = [await cluster.start(), await cluster.start()];
  chat = processes[0]!;
  iago = await signIn(chat, 'iago');
  hamlet = await signIn(chat, 'hamlet');
  zoe = await signIn(chat, 'zoe');
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  await query('DELETE FROM soft_deactivations');
  await query('UPDATE user_activity SET last_request_at = now()');
});

const query = async <R>(sql: string, params: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, params)).rows;

const run = (days = 14) =>
  softDeactivateUsers(
    { database: chat.runtime.database, eventLog: chat.runtime.eventLog, days },
    new AbortController().signal,
  );

const listSoftDeactivated = async (): Promise<number[]> =>
  (await query<{ user_id: number }>('SELECT user_id FROM soft_deactivations ORDER BY user_id')).map(
    (row) => row.user_id,
  );

/** Moves the times of the users' last requests into the past by the given number of days. */
async function age(days: number, ...users: DemoUser[]): Promise<void> {
  for (const { id } of users) {
    await query(
      `INSERT INTO user_activity (user_id, last_request_at) VALUES ($1, now() - make_interval(days => $2))
       ON CONFLICT (user_id) DO UPDATE SET last_request_at = excluded.last_request_at`,
      [id, days],
    );
    // A real absence lasts longer than cached credentials, so they must be evicted here.
    for (const { runtime } of processes) await runtime.credentials.evictByTag(`user:${id}`);
  }
}

async function sendAway(user: DemoUser): Promise<void> {
  await age(15, user);
  await run();
  expect(await listSoftDeactivated()).toEqual([user.id]);
}

const send = async (content: string, topic = 'soft', to = 'Verona'): Promise<number> => {
  const { body } = await iago.client.post<{ id: number }>('/api/v1/messages', {
    form: { type: 'stream', to, topic, content },
  });
  return body.id;
};

const hasRow = async (user: DemoUser, messageId: number): Promise<boolean> =>
  (await query('SELECT FROM user_messages WHERE user_id = $1 AND message_id = $2', [user.id, messageId])).length === 1;

/** Database connections that {@link lockFor} has opened during the current test. */
const lockConnections: pg.PoolClient[] = [];
afterEach(async () => {
  for (const holder of lockConnections.splice(0)) {
    await holder.query('ROLLBACK');
    holder.release();
  }
});

/**
 * Opens a database connection whose transaction takes a lock with the given SQL statement. The lock remains until
 * COMMIT or ROLLBACK.
 */
async function lockFor(sql: string, params: unknown[] = []) {
  const holder = await chat.runtime.database.pool.connect();
  lockConnections.push(holder);
  await holder.query('BEGIN');
  await holder.query(sql, params);
  return holder;
}

/** Returns the number of database connections that wait for a lock while they execute SQL that matches the pattern. */
const countWaiting = async (pattern: string): Promise<number> =>
  (
    await query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [pattern],
    )
  ).length;

describe('softDeactivateUsers', () => {
  it('skips bots, users with a recent request, and users with an event queue', async () => {
    await age(15, hamlet, zoe);
    await age(13, iago);
    await query(
      `INSERT INTO user_activity (user_id, last_request_at) SELECT id, now() - interval '1 year' FROM users
       WHERE bot_type IS NOT NULL ON CONFLICT (user_id) DO UPDATE SET last_request_at = excluded.last_request_at`,
    );
    const { body } = await zoe.client.post<{ queue_id: string }>('/api/v1/register', {
      form: { event_types: '["message"]', fetch_event_types: '[]' },
    });
    await age(15, zoe);
    await run();
    expect(await listSoftDeactivated()).toEqual([hamlet.id]);
    await zoe.client.request('DELETE', '/api/v1/events', { form: { queue_id: body.queue_id } });
    await age(15, zoe);
    await run();
    expect(await listSoftDeactivated()).toEqual([hamlet.id, zoe.id].toSorted((a, b) => a - b));
  });

  it('deactivates no user when the period without activity is configured as 0 days', async () => {
    await age(15, hamlet);
    await run(0);
    expect(await listSoftDeactivated()).toEqual([]);
  });

  it('reactivates soft-deactivated users when the setting is 0 days', async () => {
    await sendAway(hamlet);
    const id = await send('missed', 'missed');
    expect(await hasRow(hamlet, id)).toBe(false);
    await run(0);
    expect(await listSoftDeactivated()).toEqual([]);
    expect(await hasRow(hamlet, id)).toBe(true);
  });

  it('does not deactivate users who enable notifications for messages of all channels', async () => {
    await age(15, hamlet);
    const set = (value: boolean) =>
      query(
        `UPDATE users SET settings = settings || jsonb_build_object('enable_stream_push_notifications', $2::boolean)
        WHERE id = $1`,
        [hamlet.id, value],
      );
    await set(true);
    await run();
    expect(await listSoftDeactivated()).toEqual([]);
    await set(false);
    await run();
    expect(await listSoftDeactivated()).toEqual([hamlet.id]);
  });
});

describe('listSoftDeactivationCandidates', () => {
  it('skips users up to the given id without reading their activity from the database', async () => {
    const rollback = new Error('rolled back');
    const cost = chat.runtime.database.inTransaction(async (tx) => {
      await tx.query(`
        WITH added AS (
          INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
          SELECT min(r.id), 'old' || n || '@example.com', 'old' || n || '@example.com', 'Old ' || n, 400
          FROM realms r, generate_series(1, 2000) n GROUP BY n RETURNING id)
        INSERT INTO user_activity (user_id, last_request_at) SELECT id, now() - interval '1 year' FROM added`);
      await tx.query('ANALYZE users, user_activity, soft_deactivations');
      // The plan for many more users.
      for (const method of ['hashjoin', 'nestloop', 'seqscan', 'bitmapscan', 'sort']) {
        await tx.query(`SET LOCAL enable_${method} = off`);
      }
      const [last] = (await tx.query<{ id: number }>('SELECT max(id) - 600 AS id FROM users')).rows;
      const recording = new RecordingTx(tx);
      expect(await listSoftDeactivationCandidates(recording, last!.id, 14)).toHaveLength(500);
      const { touched } = await measurePlanCost(tx, recording.statements[0]!);
      expect(touched.get('user_activity')).toBeLessThanOrEqual(600);
      throw rollback;
    });
    await expect(cost).rejects.toBe(rollback);
  });
});

describe('POST /messages', () => {
  it('stores message rows for soft-deactivated users only when the message mentions them or a followed topic contains it', async () => {
    await query(
      `INSERT INTO user_topics (user_id, channel_id, topic_key, topic, visibility_policy)
       SELECT $1, id, 'followed', 'followed', 3 FROM channels WHERE name = 'Verona' ON CONFLICT DO NOTHING`,
      [hamlet.id],
    );
    await age(15, hamlet);
    await run();
    expect(await hasRow(hamlet, await send('plain'))).toBe(false);
    expect(await hasRow(hamlet, await send('for @**King Hamlet**'))).toBe(true);
    expect(await hasRow(hamlet, await send('@**all**'))).toBe(true);
    expect(await hasRow(hamlet, await send('plain', 'Followed'))).toBe(true);
    const email = (value: boolean | null) =>
      query(
        `UPDATE subscriptions SET email_notifications = $2 WHERE user_id = $1
         AND channel_id = (SELECT id FROM channels WHERE name = 'Verona')`,
        [hamlet.id, value],
      );
    await email(true);
    expect(await hasRow(hamlet, await send('plain'))).toBe(true);
    await email(null);
  });
});

describe('PATCH /settings', () => {
  it('stores message rows for a soft-deactivated user after the request enables channel notifications of that user', async () => {
    await sendAway(hamlet);
    expect(await hasRow(hamlet, await send('plain', 'settings'))).toBe(false);
    const set = async (value: boolean): Promise<number> => {
      const form = {
        target_users: JSON.stringify({ user_ids: [hamlet.id] }),
        enable_stream_email_notifications: String(value),
      };
      return (await iago.client.patch('/api/v1/settings', { form })).status;
    };
    expect(await set(true)).toBe(200);
    expect(await hasRow(hamlet, await send('plain', 'settings'))).toBe(true);
    expect(await set(false)).toBe(200);
  });
});

interface Registered {
  readonly queue_id: string;
  readonly unread_msgs: { readonly streams: readonly { readonly unread_message_ids: number[] }[] };
}

describe('first request of a soft-deactivated user', () => {
  it('waits until all message rows that were omitted during the deactivation are stored', async () => {
    await sendAway(hamlet);
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await send(`missed ${n}`, 'missed'));
    expect(await hasRow(hamlet, ids[0]!)).toBe(false);
    const { body } = await hamlet.client.post<Registered>('/api/v1/register', {
      form: { fetch_event_types: '["message","update_message_flags"]' },
    });
    const unread = body.unread_msgs.streams.flatMap(({ unread_message_ids: of }) => of);
    expect(unread).toEqual(expect.arrayContaining(ids));
    expect(await listSoftDeactivated()).toEqual([]);
    await hamlet.client.request('DELETE', '/api/v1/events', { form: { queue_id: body.queue_id } });
  });

  it('stores the message rows that a process did not store because the process crashed', async () => {
    await sendAway(hamlet);
    const id = await send('missed', 'missed');
    await query('UPDATE soft_deactivations SET is_back = true WHERE user_id = $1', [hamlet.id]);
    expect(await hasRow(hamlet, await send('received'))).toBe(true);
    await hamlet.client.get('/api/v1/users/me');
    expect(await hasRow(hamlet, id)).toBe(true);
    expect(await listSoftDeactivated()).toEqual([]);
  });

  it('writes a row for each message sent during four concurrent first requests in two processes', async () => {
    const others = await Promise.all(processes.map((process) => signIn(process, 'hamlet')));
    await sendAway(hamlet);
    const first = await send('before', 'missed');
    // More concurrent requests could wait for a connection for too long on a busy machine.
    const sends = [1, 2, 3, 4].map(async (sender) => {
      const sent: number[] = [];
      for (let n = 0; n < 15; n += 1) sent.push(await send(`beside ${n}`, `topic ${sender}`));
      return sent;
    });
    const requests = others.flatMap(({ client }) => [client.get('/api/v1/users/me'), client.get('/api/v1/users/me')]);
    const [ids, responses] = await Promise.all([Promise.all(sends), Promise.all(requests)]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { length } = await query('SELECT FROM user_messages WHERE user_id = $1 AND message_id = ANY($2)', [
      hamlet.id,
      [first, ...ids.flat()],
    ]);
    expect(length).toBe(61);
    expect(await listSoftDeactivated()).toEqual([]);
  });

  it('writes all message rows when two requests wait while a job soft-deactivates the user', async () => {
    const others = await Promise.all(processes.map((process) => signIn(process, 'hamlet')));
    const id = await send('missed', 'missed');
    await age(15, hamlet);
    const senders = await lockFor('SELECT FROM recipients WHERE channel_id IS NOT NULL FOR SHARE');
    const job = await lockFor('SELECT FROM user_activity WHERE user_id = $1 FOR UPDATE', [hamlet.id]);
    await job.query('DELETE FROM user_messages WHERE user_id = $1 AND message_id = $2', [hamlet.id, id]);
    await job.query(
      `INSERT INTO soft_deactivations (user_id, realm_id, after_message_id)
       SELECT id, realm_id, $2::bigint - 1 FROM users WHERE id = $1`,
      [hamlet.id, id],
    );
    const requests = others.map(({ client }) =>
      client.get<{ messages: { id: number }[] }>('/api/v1/messages?anchor=newest&num_before=1&num_after=0'),
    );
    await expect.poll(() => countWaiting('%user_activity%'), { timeout: 10_000 }).toBe(2);
    await job.query('COMMIT');
    await expect.poll(() => countWaiting('%recipients%'), { timeout: 10_000 }).toBe(2);
    await senders.query('COMMIT');
    for (const { body } of await Promise.all(requests))
      expect(body.messages.map((message) => message.id)).toEqual([id]);
  });

  it('waits for edits that began before the message rows are written', async () => {
    await sendAway(hamlet);
    const id = await send('missed', 'missed');
    const row = await lockFor('INSERT INTO user_messages (user_id, message_id, flags) VALUES ($1, $2, 0)', [
      hamlet.id,
      id,
    ]);
    const returned = hamlet.client.get('/api/v1/users/me');
    await expect.poll(() => countWaiting('%WITH change AS%'), { timeout: 10_000 }).toBe(1);
    const edit = await lockFor('SELECT FROM recipients WHERE channel_id IS NOT NULL FOR SHARE');
    await row.query('ROLLBACK');
    await expect.poll(() => countWaiting('%NO KEY UPDATE%'), { timeout: 10_000 }).toBe(1);
    expect(await hasRow(hamlet, id)).toBe(true);
    await edit.query('COMMIT');
    expect((await returned).status).toBe(200);
    expect(await listSoftDeactivated()).toEqual([]);
  });

  it('stores a row for a message sent in the same transaction that subscribes the user to the channel', async () => {
    await iago.client.post('/api/v1/users/me/subscriptions', { form: { subscriptions: '[{"name":"news"}]' } });
    await query(
      `UPDATE realms SET new_stream_announcements_channel_id = (SELECT id FROM channels WHERE name = 'news')`,
    );
    await send('first', 'topic', 'news');
    await sendAway(hamlet);
    const topic = await lockFor(`INSERT INTO topics (recipient_id, topic_key, topic)
      SELECT r.id, 'new channels', 'new channels' FROM recipients r JOIN channels c ON c.id = r.channel_id
      WHERE c.name = 'news'`);
    const subscribed = iago.client.post('/api/v1/users/me/subscriptions', {
      form: {
        subscriptions: '[{"name":"news"},{"name":"announced"}]',
        principals: JSON.stringify([hamlet.id]),
        announce: 'true',
      },
    });
    await expect.poll(() => countWaiting('%topic_of%'), { timeout: 10_000 }).toBe(1);
    const returned = hamlet.client.get('/api/v1/users/me');
    const isAwaited = async () =>
      (await countWaiting('%FROM users%')) === 1 || (await listSoftDeactivated()).length === 0;
    await expect.poll(isAwaited, { timeout: 10_000 }).toBe(true);
    await topic.query('ROLLBACK');
    expect((await subscribed).status).toBe(200);
    expect((await returned).status).toBe(200);
    const [notice] = await query<{
      id: number;
    }>(`SELECT max(m.id) AS id FROM messages m JOIN topics t ON t.id = m.topic_id
      WHERE t.topic_key = 'new channels'`);
    expect(await hasRow(hamlet, notice!.id)).toBe(true);
  });
});

describe('OmittedMessageRowWriter.writeOmittedRows', () => {
  it('stores the rows once when one process calls the method for the same user several times concurrently', async () => {
    await sendAway(hamlet);
    const id = await send('missed', 'missed');
    const returning = new OmittedMessageRowWriter(chat.runtime.database);
    const calls = [1, 2, 3].map(() => returning.writeOmittedRows(hamlet.id));
    expect(new Set(calls).size).toBe(1);
    await Promise.all(calls);
    expect(await hasRow(hamlet, id)).toBe(true);
    await sendAway(hamlet);
    await returning.writeOmittedRows(hamlet.id);
    expect(await listSoftDeactivated()).toEqual([]);
  });
});

describe('writeOmittedRowsOfMessages', () => {
  it('reads no messages when no soft-deactivated user ever subscribed to the channel', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 20; n += 1) ids.push(await send(`settled ${n}`, 'settled'));
    const rollback = new Error('rolled back');
    const cost = chat.runtime.database.inTransaction(async (tx) => {
      await tx.query(`
        WITH stranger AS (
          INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
          SELECT min(r.id), 'away' || n || '@example.com', 'away' || n || '@example.com', 'Away ' || n, 400
          FROM realms r, generate_series(1, 2000) n GROUP BY n RETURNING id, realm_id)
        INSERT INTO soft_deactivations (user_id, realm_id, after_message_id) SELECT id, realm_id, 0 FROM stranger`);
      await tx.query('ANALYZE soft_deactivations, subscription_changes, messages, users');
      const { rows } = await tx.query<{ id: number }>(
        'SELECT recipient_id AS id FROM messages WHERE id = $1',
        ids.slice(0, 1),
      );
      const recording = new RecordingTx(tx);
      await tx.query('SAVEPOINT unsettled');
      await writeOmittedRowsOfMessages(recording, rows[0]!.id, ids);
      await tx.query('ROLLBACK TO unsettled');
      const { buffers } = await measurePlanCost(tx, recording.statements[0]!);
      expect(buffers).toBeLessThanOrEqual(100);
      throw rollback;
    });
    await expect(cost).rejects.toBe(rollback);
  });
});

describe('writeBatchOfOmittedRows', () => {
  it('reads no messages of channels without a subscription of the user', async () => {
    await iago.client.post('/api/v1/users/me/subscriptions', { form: { subscriptions: '[{"name":"loud"}]' } });
    await sendAway(hamlet);
    const id = await send('missed', 'missed');
    const rollback = new Error('rolled back');
    const cost = chat.runtime.database.inTransaction(async (tx) => {
      await tx.query(
        `INSERT INTO messages (realm_id, sender_id, recipient_id, client_id)
         SELECT m.realm_id, m.sender_id, r.id, m.client_id
         FROM messages m, recipients r JOIN channels c ON c.id = r.channel_id, generate_series(1, 30000)
         WHERE m.id = $1 AND c.name = 'loud'`,
        [id],
      );
      await tx.query('ANALYZE messages, recipients, subscription_changes');
      const recording = new RecordingTx(tx);
      await tx.query('SAVEPOINT unfilled');
      await writeBatchOfOmittedRows(recording, hamlet.id);
      await tx.query('ROLLBACK TO unfilled');
      const fill = recording.statements.find(({ text }) => text.includes('INTO user_messages'));
      const { touched } = await measurePlanCost(tx, fill!);
      expect(touched.get('messages')).toBeLessThan(500);
      throw rollback;
    });
    await expect(cost).rejects.toBe(rollback);
  });
});
