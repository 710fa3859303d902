import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  iago = await signIn(chat, 'iago');
  await chat.runtime.database.query(FILL);
});
afterAll(() => cluster.stop());

/**
 * SQL that subscribes 300 more users to the channel Verona. The new subscribers are a bot, users who were last active
 * ten days ago, and users who were active fifteen days ago or never.
 */
const FILL = `
  WITH person AS (
    INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role, bot_type)
    SELECT (SELECT min(id) FROM realms), 'late' || n || '@example.com', 'late' || n || '@example.com', 'Late ' || n, 400,
      CASE WHEN n = 1 THEN 1 END
    FROM generate_series(1, 300) n RETURNING id, realm_id, full_name
  ), subscription AS (
    INSERT INTO subscriptions (user_id, channel_id, color)
    SELECT person.id, c.id, '#76ce90' FROM person, channels c WHERE c.name = 'Verona')
  , request AS (
    INSERT INTO user_activity (user_id, last_request_at)
    SELECT id, now() - CASE full_name WHEN 'Late 4' THEN 10 ELSE 15 END * interval '1 day'
    FROM person WHERE full_name IN ('Late 4', 'Late 5'))
  INSERT INTO presences (user_id, realm_id, last_connected_at, update_id)
  SELECT id, realm_id, now() - CASE full_name WHEN 'Late 2' THEN 10 ELSE 15 END * interval '1 day', 1
  FROM person WHERE full_name IN ('Late 2', 'Late 3')`;

interface Channel {
  name: string;
  subscribers?: number[];
  partial_subscribers?: number[];
}

async function channelsWith(include: string): Promise<Map<string, Channel>> {
  const form = { fetch_event_types: '["subscription"]', include_subscribers: include };
  const { body } = await iago.client.post<Record<'subscriptions' | 'never_subscribed', Channel[]>>('/api/v1/register', {
    form,
  });
  return new Map([...body.subscriptions, ...body.never_subscribed].map((channel) => [channel.name, channel]));
}

async function namesOf(ids: readonly number[]): Promise<string[]> {
  const { rows } = await chat.runtime.database.query<{ full_name: string }>(
    `SELECT full_name FROM users WHERE id = ANY($1) AND full_name LIKE 'Late %' ORDER BY full_name`,
    [ids],
  );
  return rows.map((row) => row.full_name);
}

it('POST /register with include_subscribers=partial returns bots and recently active subscribers of a large channel', async () => {
  const verona = (await channelsWith('partial')).get('Verona');
  expect(verona?.subscribers).toBeUndefined();
  expect(await namesOf(verona?.partial_subscribers ?? [])).toEqual(['Late 1', 'Late 2', 'Late 4']);
});

it('POST /register with include_subscribers=partial counts a request of any kind as activity', async () => {
  const { database } = chat.runtime;
  await database.query('DELETE FROM user_activity WHERE user_id = $1', [iago.id]);
  const again = await cluster.start();
  expect((await (await signIn(again, 'iago')).client.get('/api/v1/users/me')).status).toBe(200);
  const { rows } = await database.query(
    "SELECT 1 FROM user_activity WHERE user_id = $1 AND last_request_at > now() - interval '1 minute'",
    [iago.id],
  );
  expect(rows).toHaveLength(1);
});

it('POST /register with include_subscribers=partial returns all subscribers of channels with fewer than 250', async () => {
  const [partial, whole] = [await channelsWith('partial'), await channelsWith('true')];
  for (const [name, channel] of partial) if (name !== 'Verona') expect(channel).toEqual(whole.get(name));
  expect(whole.get('Verona')?.subscribers?.length).toBeGreaterThan(300);
});
