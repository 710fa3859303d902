import { FakeClock } from '@switchboard/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBasicAuthorization, chatCluster, type ChatCluster, signIn } from '../../test/chat-server.js';

let cluster: ChatCluster;
/** A database connection that does not belong to the service's pool. */
let other: pg.Client;

beforeAll(async () => {
  cluster = await chatCluster();
  other = new pg.Client(cluster.database.url);
  await other.connect();
});

afterAll(async () => {
  await other.end();
  await cluster.stop();
});

/**
 * Simulates a new primary database server: ends the pool's connections, so that new connections read another cluster
 * identifier.
 */
async function replacePrimary(): Promise<void> {
  const name = pg.escapeIdentifier(new URL(cluster.database.url).pathname.slice(1));
  await other.query(`
    CREATE FUNCTION public.pg_control_system(OUT system_identifier bigint) LANGUAGE sql AS 'SELECT 7::bigint';
    ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  await other.query(
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name NOT LIKE '%change checks'`,
  );
}

async function restorePrimary(): Promise<void> {
  const name = pg.escapeIdentifier(new URL(cluster.database.url).pathname.slice(1));
  await other.query(`ALTER DATABASE ${name} RESET search_path; DROP FUNCTION public.pg_control_system`);
}

async function findChangeChecks(): Promise<unknown[]> {
  const { rows } = await other.query<object>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'switchboard-chat: change checks'`,
  );
  return rows;
}

describe('process whose connections lead to another primary', () => {
  it('closes its connection for change checks, because that connection may lead to the former primary', async () => {
    const server = await cluster.start();
    const iago = await signIn(server, 'iago');
    const listUsers = async (): Promise<number> => (await iago.client.get('/api/v1/users')).status;
    for (let reads = 0; reads < 2; reads += 1) expect(await listUsers()).toBe(200);
    const former = await findChangeChecks();
    expect(former).toHaveLength(1);
    await replacePrimary();
    try {
      await expect.poll(listUsers).toBe(200);
      await expect
        .poll(async () => {
          await listUsers();
          return findChangeChecks();
        })
        .not.toEqual(former);
    } finally {
      await restorePrimary();
      await server.stop();
    }
  });

  it('rejects a cached credential when the new primary has no row of its user', async () => {
    // Cached credentials never expire by this clock.
    const server = await cluster.start({}, new FakeClock());
    const iago = await signIn(server, 'iago');
    const fastify = server.app.getHttpAdapter().getInstance();
    const headers = createBasicAuthorization(iago.email, iago.apiKey);
    const read = async (): Promise<number> =>
      (await fastify.inject({ method: 'GET', url: '/api/v1/saved_snippets', headers })).statusCode;
    await expect.poll(read).toBe(200);
    await other.query('UPDATE users SET is_active = false WHERE id = $1', [iago.id]);
    expect(await read()).toBe(200);
    await replacePrimary();
    try {
      await expect.poll(read).toBe(401);
    } finally {
      await restorePrimary();
    }
  });
});
