import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mergeSubscriberCounts } from './index.js';
import { wholeNumbers } from '../../../test/random-numbers.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let processes: ChatProcess[];
let admins: DemoUser[];
let userIds: number[];
let channels: { stream_id: number; name: string }[];

beforeAll(async () => {
  cluster = await chatCluster();
  processes = [await cluster.start(), await cluster.start()];
  admins = await Promise.all(processes.map((process) => signIn(process, 'desdemona')));
  const { body: people } = await admins[0]!.client.get<{ members: { user_id: number; is_bot: boolean }[] }>(
    '/api/v1/users',
  );
  const keep = new Set([admins[0]!.id, (await signIn(processes[0]!, 'hamlet')).id]);
  userIds = people.members.flatMap(({ user_id: id, is_bot: isBot }) => (isBot || keep.has(id) ? [] : [id]));
  const { body } = await admins[0]!.client.get<{ streams: { stream_id: number; name: string }[] }>('/api/v1/streams');
  channels = body.streams.slice(0, 4);
});
afterAll(() => cluster.stop());

const database = () => processes[0]!.runtime.database;

const changeAtRandom = async (admin: DemoUser, random: (bound: number) => number): Promise<unknown> => {
  const pick = <T>(of: readonly T[]): T => of[random(of.length)]!;
  const { stream_id: channelId, name } = pick(channels);
  const user = pick(userIds);
  const principals = JSON.stringify([...new Set([user, pick(userIds), pick(userIds)])]);
  const { client } = admin;
  const kinds = [
    () =>
      client.post('/api/v1/users/me/subscriptions', {
        form: { subscriptions: JSON.stringify([{ name }]), principals },
      }),
    () =>
      client.request('DELETE', '/api/v1/users/me/subscriptions', {
        form: { subscriptions: JSON.stringify([name, pick(channels).name]), principals },
      }),
    () => client.request('DELETE', `/api/v1/users/${user}`),
    () => client.post(`/api/v1/users/${user}/reactivate`),
    () => client.request('DELETE', `/api/v1/streams/${channelId}`),
    () => client.patch(`/api/v1/streams/${channelId}`, { form: { is_archived: 'false' } }),
  ];
  return pick([kinds[0]!, kinds[1]!, ...kinds])();
};

const wrongCounts = async (): Promise<unknown[]> => {
  const { rows } = await database().query(
    `SELECT c.id, counted.n AS counted, stored.n AS stored FROM channels c
     CROSS JOIN LATERAL (SELECT count(*) AS n FROM subscriptions s JOIN users u ON u.id = s.user_id
       WHERE s.channel_id = c.id AND s.is_active AND u.is_active) stored
     CROSS JOIN LATERAL (SELECT coalesce(sum(sc.n), 0) AS n FROM subscriber_counts sc WHERE sc.channel_id = c.id) counted
     WHERE stored.n <> counted.n::bigint`,
  );
  return rows;
};

describe('table `subscriber_counts`', () => {
  it('equals a full count after random concurrent changes in two processes', async () => {
    const run = async (admin: DemoUser, seed: number): Promise<void> => {
      const random = wholeNumbers(seed);
      for (let round = 0; round < 20; round += 1) await changeAtRandom(admin, random);
    };
    const fold = async (): Promise<void> => {
      for (let round = 0; round < 20; round += 1) await mergeSubscriberCounts(database());
    };
    await Promise.all([run(admins[0]!, 1), run(admins[1]!, 2), run(admins[1]!, 3), fold()]);
    expect(await wrongCounts()).toEqual([]);
    await Promise.all([mergeSubscriberCounts(database()), mergeSubscriberCounts(database())]);
    expect(await wrongCounts()).toEqual([]);
    const { rows } = await database().query<{ most: number }>(
      'SELECT max(n)::int AS most FROM (SELECT count(*) AS n FROM subscriber_counts GROUP BY channel_id) counts',
    );
    expect(rows[0]?.most).toBeLessThanOrEqual(8);
  });

  it('changes when users and channels are deleted', async () => {
    const [first] = userIds;
    await database().inTransaction(async (tx) => {
      await tx.query(
        `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
         SELECT realm_id, 'gone' || n || '@example.com', 'gone' || n || '@example.com', 'Gone', 400
         FROM users, generate_series(1, 3) n WHERE id = $1`,
        [first],
      );
      await tx.query(
        `INSERT INTO subscriptions (user_id, channel_id, color)
         SELECT u.id, c.id, '#000000' FROM users u, channels c WHERE u.full_name = 'Gone'`,
      );
      await tx.query("UPDATE users SET is_active = false WHERE delivery_email LIKE 'gone1@%'");
    });
    expect(await wrongCounts()).toEqual([]);
    await database().query("DELETE FROM users WHERE full_name = 'Gone'");
    expect(await wrongCounts()).toEqual([]);
  });
});

describe('GET /streams', () => {
  it('reads the stored subscriber counts instead of counting subscriptions', async () => {
    const [channel] = channels;
    await admins[0]!.client.patch(`/api/v1/streams/${channel!.stream_id}`, { form: { is_archived: 'false' } });
    const shown = async (): Promise<number | undefined> => {
      const { body } = await admins[0]!.client.get<{ streams: { stream_id: number; subscriber_count: number }[] }>(
        '/api/v1/streams?include_all=true',
      );
      return body.streams.find(({ stream_id: id }) => id === channel!.stream_id)?.subscriber_count;
    };
    const before = await shown();
    await database().query('INSERT INTO subscriber_counts (channel_id, n) VALUES ($1, 1000)', [channel!.stream_id]);
    expect(await shown()).toBe(Number(before) + 1000);
  });
});
