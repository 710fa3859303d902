import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeOldSubscriptionChanges } from './index.js';
import { wholeNumbers } from '../../../test/random-numbers.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let admin: DemoUser;
let userIds: number[];
let channels: { stream_id: number; name: string }[];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  admin = await signIn(chat, 'desdemona');
  const { rows } = await chat.runtime.database.query<{ id: number }>(
    'SELECT id FROM users WHERE bot_type IS NULL AND NOT is_system_bot AND is_active AND id <> $1 ORDER BY id LIMIT 5',
    [admin.id],
  );
  userIds = rows.map(({ id }) => id);
  const { body } = await admin.client.get<{ streams: typeof channels }>('/api/v1/streams');
  channels = body.streams.slice(0, 3);
});
afterAll(() => cluster.stop());

const query = async <R>(sql: string, params: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, params)).rows;

/**
 * @param isAlone True if no message is sent meanwhile, because sending does not wait for a recipient's deactivation.
 */
async function act(random: (bound: number) => number, isAlone: boolean): Promise<unknown> {
  const pick = <T>(of: readonly T[]): T => of[random(of.length)]!;
  const { client } = admin;
  const { name, stream_id: channelId } = pick(channels);
  const user = pick(userIds);
  const principals = JSON.stringify([...new Set([user, pick(userIds)])]);
  const send = () => client.post('/api/v1/messages', { form: { type: 'stream', to: name, topic: 't', content: 'x' } });
  const subscribe = () =>
    client.post('/api/v1/users/me/subscriptions', { form: { subscriptions: JSON.stringify([{ name }]), principals } });
  const unsubscribe = () =>
    client.request('DELETE', '/api/v1/users/me/subscriptions', {
      form: { subscriptions: JSON.stringify([name, pick(channels).name]), principals },
    });
  const deactivate = () => client.request('DELETE', `/api/v1/users/${user}`);
  const reactivate = () => client.post(`/api/v1/users/${user}/reactivate`);
  return pick([
    send,
    send,
    send,
    subscribe,
    subscribe,
    unsubscribe,
    unsubscribe,
    () => client.request('DELETE', `/api/v1/streams/${channelId}`),
    () => client.patch(`/api/v1/streams/${channelId}`, { form: { is_archived: 'false' } }),
    ...(isAlone ? [deactivate, deactivate, reactivate, reactivate] : []),
  ])();
}

/**
 * Returns the messages with ids above `after` whose stored recipients differ from the recipients according to the
 * subscription changes.
 */
const differences = (after: number) =>
  query(
    `SELECT m.id, u.id AS user_id, change.kind, um.user_id IS NOT NULL AS received
     FROM messages m JOIN recipients r ON r.id = m.recipient_id AND r.channel_id IS NOT NULL CROSS JOIN users u
     LEFT JOIN LATERAL (SELECT sc.kind FROM subscription_changes sc
       WHERE sc.user_id = u.id AND sc.recipient_id = m.recipient_id AND sc.message_id <= m.id
       ORDER BY sc.message_id DESC, sc.id DESC LIMIT 1) change ON true
     LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = u.id
     WHERE m.id > $1 AND m.realm_id = u.realm_id AND (coalesce(change.kind, '') = 'began') <> (um.user_id IS NOT NULL)`,
    [after],
  );

const remove = () => removeOldSubscriptionChanges(chat.runtime.database, 30, new AbortController().signal);

const lastMessage = async (): Promise<number> =>
  (await query<{ id: number }>('SELECT max(id)::int AS id FROM messages'))[0]!.id;

describe('table `subscription_changes`', () => {
  it.each([1, 2, 3])(
    'determines the recipients of each message after random subscription changes (seed %i)',
    async (seed) => {
      const after = await lastMessage();
      await Promise.all(
        [1, 2, 3, 4].map(async (lane) => {
          const random = wholeNumbers(seed * 10 + lane);
          for (let step = 0; step < 10; step += 1) await act(random, false);
        }),
      );
      const random = wholeNumbers(seed);
      for (let step = 0; step < 25; step += 1) await act(random, true);
      expect(await lastMessage()).toBeGreaterThan(after);
      expect(await differences(after)).toEqual([]);
    },
  );

  it('retains the last change of each subscription when older changes are removed', async () => {
    const last = `SELECT DISTINCT ON (user_id, recipient_id) user_id, recipient_id, kind FROM subscription_changes
      ORDER BY user_id, recipient_id, message_id DESC, id DESC`;
    await query("UPDATE subscription_changes SET changed_at = now() - interval '31 days'");
    const before = await query(last);
    await remove();
    expect(await query(last)).toEqual(before);
    expect(await query('SELECT count(*)::int AS count FROM subscription_changes')).toEqual([{ count: before.length }]);
  });

  it('contains no row for the subscriptions of a deleted user', async () => {
    const [gone] = await query<{ id: number }>(`
      INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
      SELECT id, 'gone@example.com', 'gone@example.com', 'Gone', 400 FROM realms LIMIT 1 RETURNING id`);
    const values = [gone?.id];
    await query(
      "INSERT INTO subscriptions (user_id, channel_id, color) SELECT $1, c.id, '#000000' FROM channels c",
      values,
    );
    await query('DELETE FROM users WHERE id = $1', values);
    const kinds = await query('SELECT DISTINCT kind FROM subscription_changes WHERE user_id = $1', values);
    expect(kinds).toEqual([{ kind: 'began' }]);
  });
});

describe('removeOldSubscriptionChanges', () => {
  it('retains changes that an uncommitted soft deactivation needs', async () => {
    const [userId] = userIds;
    const [recipient] = await query<{ id: number }>(
      'SELECT min(id) AS id FROM recipients WHERE channel_id IS NOT NULL',
    );
    const later = (await lastMessage()) + 1_000_000;
    const changes = () =>
      query('SELECT kind FROM subscription_changes WHERE user_id = $1 AND message_id > $2 ORDER BY message_id', [
        userId,
        later,
      ]);
    await query(
      `INSERT INTO subscription_changes (user_id, recipient_id, message_id, kind, changed_at)
       SELECT $1, $2, $3::bigint + n, (ARRAY['began', 'ended'])[n], now() - interval '31 days' FROM generate_series(1, 2) n`,
      [userId, recipient?.id, later],
    );
    const job = await chat.runtime.database.pool.connect();
    await job.query('BEGIN');
    await job.query(
      `INSERT INTO soft_deactivations (user_id, realm_id, after_message_id) SELECT id, realm_id, $2 FROM users WHERE id = $1`,
      [userId, later],
    );
    let isRemoved = false;
    const removed = remove().then(() => (isRemoved = true));
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND query LIKE 'LOCK TABLE%'`;
    await expect.poll(async () => isRemoved || (await query(waiting)).length > 0, { timeout: 10_000 }).toBe(true);
    await job.query('COMMIT');
    job.release();
    await removed;
    expect(await changes()).toEqual([{ kind: 'began' }, { kind: 'ended' }]);
    await query('DELETE FROM soft_deactivations');
    await remove();
    expect(await changes()).toEqual([{ kind: 'ended' }]);
  });
});
