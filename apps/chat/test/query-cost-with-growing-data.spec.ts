import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeExpiredRecords } from '../src/features/expired-records/index.js';
import { describeDeadLetters } from '../src/app/admin/list-dead-letters.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from './chat-server.js';
import { openTestEventQueue } from './test-event-queue.js';
import { measurePlanCost, RecordingTx } from './explain-query-plan.js';

type Json = Record<string, unknown>;

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({
    DRAFTS_PER_USER: '2',
    SNIPPETS_PER_USER: '2',
    SCHEDULED_MESSAGES_PER_USER: '2',
    SCHEDULED_MESSAGES_BYTES_PER_USER: '2000',
    DEVICES_PER_USER: '2',
    CLIENT_NAMES: '10',
  });
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(() => cluster.stop());

const query = async <R>(sql: string, params: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, params)).rows;

describe('POST /drafts', () => {
  it('rejects drafts above the maximum number per user, and stores none of the request', async () => {
    await query('DELETE FROM drafts WHERE user_id = $1', [hamlet.id]);
    const draft = { type: '', to: [], topic: '', content: 'begun' };
    const add = (n: number) =>
      hamlet.client.post<Json>('/api/v1/drafts', { form: { drafts: JSON.stringify(Array(n).fill(draft)) } });
    expect((await add(2)).status).toBe(200);
    expect((await add(1)).body).toMatchObject({ code: 'BAD_REQUEST', msg: 'You may store at most 2 drafts' });
    expect(await query('SELECT FROM drafts WHERE user_id = $1', [hamlet.id])).toHaveLength(2);
  });
});

describe('POST /saved_snippets', () => {
  it('rejects a snippet above the maximum number per user', async () => {
    await query('DELETE FROM saved_snippets WHERE user_id = $1', [hamlet.id]);
    const add = () => hamlet.client.post<Json>('/api/v1/saved_snippets', { form: { title: 't', content: 'c' } });
    await add();
    await add();
    expect((await add()).body).toMatchObject({ msg: 'You may store at most 2 saved snippets' });
  });
});

describe('POST /scheduled_messages and POST /reminders', () => {
  it('reject scheduled messages and reminders above the maximum number per user for both together', async () => {
    const time = { scheduled_delivery_timestamp: '4000000000' };
    const message = { type: 'direct', to: JSON.stringify([hamlet.id]), content: 'later' };
    const schedule = () => hamlet.client.post<Json>('/api/v1/scheduled_messages', { form: { ...message, ...time } });
    const { body } = await hamlet.client.post<{ id: number }>('/api/v1/messages', { form: message });
    const remind = () =>
      hamlet.client.post<Json>('/api/v1/reminders', { form: { message_id: String(body.id), ...time } });
    expect((await schedule()).status).toBe(200);
    expect((await remind()).status).toBe(200);
    const refusal = { code: 'BAD_REQUEST', msg: 'You may store at most 2 scheduled messages' };
    expect((await schedule()).body).toMatchObject(refusal);
    expect((await remind()).body).toMatchObject(refusal);
    expect(await query('SELECT FROM scheduled_messages WHERE user_id = $1', [hamlet.id])).toHaveLength(2);
  });
});

describe('POST and PATCH /scheduled_messages', () => {
  it('reject messages above the maximum number of bytes per user, and store none of them', async () => {
    await query('DELETE FROM scheduled_messages WHERE user_id = $1', [hamlet.id]);
    const path = '/api/v1/scheduled_messages';
    const message = { type: 'direct', to: JSON.stringify([hamlet.id]), scheduled_delivery_timestamp: '4000000000' };
    const schedule = (content: string) => hamlet.client.post<Json>(path, { form: { ...message, content } });
    const refusal = { code: 'BAD_REQUEST', msg: 'You may store at most 2000 bytes of scheduled messages' };
    expect((await schedule('x'.repeat(1_000))).body).toMatchObject(refusal);
    const { body } = await schedule('short');
    const form = { content: 'x'.repeat(1_000) };
    const changed = await hamlet.client.patch<Json>(`${path}/${String(body['scheduled_message_id'])}`, { form });
    expect(changed.body).toMatchObject(refusal);
    const stored = await query('SELECT content FROM scheduled_messages WHERE user_id = $1', [hamlet.id]);
    expect(stored).toEqual([{ content: 'short' }]);
  });

  it('count concurrent requests together, so that the requests cannot exceed the limits', async () => {
    const path = '/api/v1/scheduled_messages';
    const message = { type: 'direct', to: JSON.stringify([hamlet.id]), scheduled_delivery_timestamp: '4000000000' };
    const statuses = async (requests: Promise<{ status: number }>[]): Promise<number[]> =>
      (await Promise.all(requests)).map(({ status }) => status).toSorted();
    await query('DELETE FROM scheduled_messages WHERE user_id = $1', [hamlet.id]);
    const schedule = (content: string) => hamlet.client.post<Json>(path, { form: { ...message, content } });
    const long = 'x'.repeat(600);
    expect(await statuses([1, 2, 3, 4, 5].map(() => schedule(long)))).toEqual([200, 400, 400, 400, 400]);
    await query('DELETE FROM scheduled_messages WHERE user_id = $1', [hamlet.id]);
    expect(await statuses([1, 2, 3, 4, 5].map(() => schedule('short')))).toEqual([200, 200, 400, 400, 400]);
    const rows = await query<{ id: number }>('SELECT id FROM scheduled_messages WHERE user_id = $1', [hamlet.id]);
    const lengthen = ({ id }: { id: number }) => hamlet.client.patch(`${path}/${id}`, { form: { content: long } });
    expect(await statuses(rows.map(lengthen))).toEqual([200, 400]);
  });
});

describe('POST /register_client_device', () => {
  it('removes the oldest device above the limit and emits an event', async () => {
    await query('DELETE FROM devices WHERE user_id = $1', [hamlet.id]);
    const register = async (): Promise<number> =>
      (await hamlet.client.post<{ device_id: number }>('/api/v1/register_client_device')).body.device_id;
    const first = await register();
    await register();
    const queue = await openTestEventQueue(chat, hamlet, ['device']);
    const third = await register();
    expect(await queue.read()).toMatchObject([
      { op: 'add', device_id: third },
      { op: 'remove', device_id: first },
    ]);
    expect(await query('SELECT FROM devices WHERE user_id = $1', [hamlet.id])).toHaveLength(2);
  });
});

describe('POST /messages', () => {
  it('stores new client names only up to a maximum number', async () => {
    await query("INSERT INTO clients (name) SELECT 'client ' || n FROM generate_series(1, 10) n");
    const [before] = await query<{ n: number }>('SELECT count(*)::int AS n FROM clients');
    for (const name of ['Fresh one', 'Fresh two']) {
      const form = { type: 'direct', to: JSON.stringify([hamlet.id]), content: 'hi' };
      const headers = { 'user-agent': `${name}/1.0` };
      expect((await hamlet.client.request('POST', '/api/v1/messages', { form, headers })).status).toBe(200);
    }
    expect(await query("SELECT FROM clients WHERE name LIKE 'Fresh%'")).toEqual([]);
    const [after] = await query<{ n: number }>('SELECT count(*)::int AS n FROM clients');
    expect(after!.n).toBeLessThanOrEqual(before!.n + 1);
  });
});

describe('describeDeadLetters', () => {
  it('counts and lists dead letters of the outbox', async () => {
    expect(await describeDeadLetters(chat.runtime.outbox)).toBe('There are no dead letters.');
    await query(
      `INSERT INTO queue.outbox (topic, payload, attempts, error, set_aside_at)
       VALUES ('no.such.topic', '{}', 10, 'connection refused', now())`,
    );
    const [count, row] = (await describeDeadLetters(chat.runtime.outbox)).split('\n');
    expect(count).toBe('no.such.topic: 1 dead letters');
    expect(row).toMatch(/^ {2}\d+ {2}since \S+Z {2}after 10 attempts {2}connection refused$/);
  });
});

describe('removeExpiredRecords', () => {
  it('removes only invitations, email changes and records of mails from long ago', async () => {
    const invitation = `INSERT INTO invitations (realm_id, inviter_id, invited_as, channel_ids, group_ids,
        includes_default_channels, notifies_inviter, token_digest, token_sealed, status, invited_at, expires_at)
      SELECT realm_id, id, 400, '{}', '{}', true, true, $2, 'sealed', $3, now() - interval '90 days',
        now() + $4::interval FROM users WHERE id = $1`;
    for (const [digest, status, expires] of [
      ['over', 'pending', '-31 days'],
      ['used', 'accepted', '-31 days'],
      ['recent', 'pending', '-29 days'],
      ['open', 'pending', '1 day'],
      ['forever', 'pending', null],
    ]) {
      await query(invitation, [hamlet.id, digest, status, expires]);
    }
    await query(
      `INSERT INTO email_changes (user_id, token_digest, new_email, expires_at)
       SELECT id, 'digest ' || id, 'new@example.com', now() - make_interval(days => CASE WHEN id = $1 THEN 31 ELSE 29 END)
       FROM users WHERE id = $1 OR id = $1 + 1`,
      [hamlet.id],
    );
    await query("INSERT INTO delivered_mails VALUES ('old', now() - interval '31 days'), ('new', now())");
    await removeExpiredRecords(chat.runtime.database, 30);
    expect(await query('SELECT digest FROM delivered_mails')).toEqual([{ digest: 'new' }]);
    const kept = await query<{ token_digest: string }>(
      "SELECT token_digest FROM invitations WHERE token_sealed = 'sealed' ORDER BY token_digest",
    );
    expect(kept.map((row) => row.token_digest)).toEqual(['forever', 'open', 'recent']);
    expect(await query('SELECT FROM email_changes WHERE user_id = $1', [hamlet.id])).toEqual([]);
    expect(await query('SELECT FROM email_changes')).toHaveLength(1);
  });

  it('removes keys of sends that are older than a day, by the index of their time', async () => {
    const addKeys = (from: number, to: number, age: string) =>
      query(
        `INSERT INTO send_keys (user_id, key, message_id, stored_at)
         SELECT $1, int4send(n), n, now() - $4::interval FROM generate_series($2::int, $3::int) n`,
        [hamlet.id, from, to, age],
      );
    await addKeys(1, 20_000, '23 hours');
    await addKeys(20_001, 21_500, '25 hours');
    const recording = new RecordingTx(chat.runtime.database);
    await removeExpiredRecords(recording, 30);
    expect(await query('SELECT count(*)::int AS n, max(message_id) AS last FROM send_keys')).toEqual([
      { n: 20_000, last: 20_000 },
    ]);
    await addKeys(20_001, 20_100, '25 hours');
    await query('ANALYZE send_keys');
    const removal = recording.statements.find(({ text }) => text.includes('send_keys'))!;
    const { indexes, scanned } = await measurePlanCost(chat.runtime.database, removal);
    expect({ indexes: [...indexes], scanned: [...scanned] }).toEqual({
      indexes: ['send_keys_stored_at_idx'],
      scanned: [],
    });
  });

  it('removes only API keys with scopes that expired long ago', async () => {
    const rows = { over: '-31 days', recent: '-29 days', valid: '1 day', forever: null };
    for (const [name, expires] of Object.entries(rows)) {
      await query(
        `INSERT INTO api_keys (user_id, name, scopes, digest, pepper_id, expires_at)
         VALUES ($1, $2, '{read}', $2, 1, now() + $3::interval)`,
        [hamlet.id, name, expires],
      );
    }
    await removeExpiredRecords(chat.runtime.database, 30);
    const kept = await query<{ name: string }>('SELECT name FROM api_keys WHERE user_id = $1 ORDER BY id', [hamlet.id]);
    expect(kept.map(({ name }) => name)).toEqual(['recent', 'valid', 'forever']);
  });

  it('removes password reset links that expired a long time ago, in several batches', async () => {
    await query(
      `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
       SELECT u.realm_id, 'reset' || n, 'reset' || n, 'Reset', 400 FROM users u, generate_series(1, 2300) n
       WHERE u.id = $1`,
      [hamlet.id],
    );
    await query(
      `INSERT INTO password_resets (user_id, token_digest, account_digest, expires_at)
       SELECT id, delivery_email, '', now() - CASE delivery_email
         WHEN 'reset1' THEN interval '29 days' WHEN 'reset2' THEN interval '-1 day' ELSE interval '31 days' END
       FROM users WHERE full_name = 'Reset'`,
    );
    await removeExpiredRecords(chat.runtime.database, 30);
    const kept = await query<{ token_digest: string }>('SELECT token_digest FROM password_resets ORDER BY user_id');
    expect(kept.map((row) => row.token_digest)).toEqual(['reset1', 'reset2']);
  });
});
