import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../test/chat-server.js';
import { TopicListCache } from '../features/topics/topic-list-cache.js';

let cluster: ChatCluster;
let server: ChatProcess;
let iago: DemoUser;
let channelId: number;

/**
 * SQL that makes later connections behave like connections to a standby server. Replaces the functions that behave
 * differently during recovery, and makes transactions read-only.
 */
const standbySql = `
  CREATE FUNCTION public.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
  CREATE FUNCTION public.pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'recovery is in progress' USING ERRCODE = '55000'; END $$;
  CREATE FUNCTION public.pg_current_xact_id() RETURNS xid8 LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'cannot execute pg_current_xact_id() during recovery' USING ERRCODE = '25006'; END $$;`;

/** Starts a process and fills its caches. Then makes the database behave like a standby server. */
beforeAll(async () => {
  cluster = await chatCluster();
  server = await cluster.start();
  iago = await signIn(server, 'iago');
  const { database } = server.runtime;
  const { rows } = await database.query<{ id: number }>(`
    SELECT r.channel_id AS id FROM recipients r JOIN messages m ON m.recipient_id = r.id
    WHERE r.channel_id IS NOT NULL GROUP BY r.channel_id ORDER BY count(*) DESC LIMIT 1`);
  channelId = rows[0]?.id ?? 0;
  for (const path of paths()) expect((await iago.client.get(path)).status).toBe(200);
  expect(await register()).toBe(200);

  const other = new pg.Client(cluster.database.url);
  await other.connect();
  const name = pg.escapeIdentifier(new URL(cluster.database.url).pathname.slice(1));
  await other.query(standbySql);
  await other.query(`ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  await other.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await other.query(
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await other.end();
});

afterAll(() => cluster.stop());

const paths = (): string[] => [
  '/api/v1/users',
  '/api/v1/streams',
  '/api/v1/user_groups',
  '/api/v1/users/me/subscriptions',
  `/api/v1/users/me/${channelId}/topics`,
];

const register = async (): Promise<number> => (await iago.client.post('/api/v1/register', { form: {} })).status;

describe('process whose address leads to a standby', () => {
  it('responds 200 to requests for lists that the process caches', async () => {
    for (const path of paths()) {
      const read = async () => [path, (await iago.client.get(path)).status];
      // Connections that the server ended are replaced.
      await expect.poll(read).toEqual([path, 200]);
      expect(await read()).toEqual([path, 200]);
    }
  });

  it('registers event queues of an organization whose event log already exists', async () => {
    await expect.poll(register).toBe(200);
  });

  it('reads the topics of a channel each time, because a standby assigns no transaction ids', async () => {
    const lists = new TopicListCache({ smallestKept: 1 });
    const read = () =>
      server.runtime.database.inTransaction((tx) => lists.listChannelTopics(tx, channelId), {
        isolation: 'repeatable read',
        readOnly: true,
      });
    const { topics } = await read();
    expect(topics.length).toBeGreaterThan(0);
    expect((await read()).topics).toEqual(topics);
    expect(lists.metrics).toEqual({ byteLength: 0, hits: 0, misses: 2 });
  });
});
