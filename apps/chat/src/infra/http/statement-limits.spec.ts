import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  chatCluster,
  type ChatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';

const overload = [503, 'SERVICE_UNAVAILABLE', '5'];
const limit = { STATEMENT_TIMEOUT_MS: '1000' };

let cluster: ChatCluster;
let server: ChatProcess;
let iago: DemoUser;
let url: string;
/** Sends a request without the test client's check that rejects 5xx responses. */
async function send(process: ChatProcess, method: 'GET' | 'POST', path: string, body = ''): Promise<unknown> {
  const fastify = process.app.getHttpAdapter().getInstance();
  const headers = {
    ...createBasicAuthorization(iago.email, iago.apiKey),
    'content-type': 'application/x-www-form-urlencoded',
  };
  const response = await fastify.inject({ method, url: path, headers, ...(method === 'POST' && { payload: body }) });
  return [response.statusCode, response.json().code, response.headers['retry-after']];
}

/**
 * Database connection of the test, outside of the service. The test uses the connection to lock tables and count
 * statements.
 */
let other: pg.Client;

beforeAll(async () => {
  cluster = await chatCluster();
  server = await cluster.start();
  iago = await signIn(server, 'iago');
  await server.app.listen(0, '127.0.0.1');
  url = await server.app.getUrl();
  other = new pg.Client(cluster.database.url);
  await other.connect();
});

afterAll(async () => {
  await other.end();
  await cluster.stop();
});

/** Runs `work` while a table is locked against all statements of the service. */
async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  try {
    await work();
  } finally {
    await other.query('ROLLBACK');
  }
}

/** Counts statements that wait for a lock and contain the given text. Other jobs may wait for the same lock. */
async function countWaiting(text: string): Promise<number> {
  // A transaction reads the same statements in pg_stat_activity until this call.
  await other.query('SELECT pg_stat_clear_snapshot()');
  const { rowCount } = await other.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND application_name = 'switchboard-chat' AND strpos(query, $1) > 0`,
    [text],
  );
  return rowCount ?? 0;
}

const waitForWaitingStatements = (count: number, text = '') =>
  expect.poll(() => countWaiting(text), { interval: 10, timeout: 10_000 }).toBe(count);

/** Sends a request, and disconnects the client when an SQL statement of the request waits for a lock. */
async function sendAndLeave(path: string, init: RequestInit = {}): Promise<void> {
  const leaving = new AbortController();
  const headers = { ...createBasicAuthorization(iago.email, iago.apiKey), ...init.headers };
  const response = fetch(`${url}${path}`, { ...init, headers, signal: leaving.signal });
  await waitForWaitingStatements(1);
  leaving.abort();
  await expect(response).rejects.toThrow('aborted');
}

describe('disconnect of a client', () => {
  it('cancels the running SQL statement of a GET request', async () => {
    // The first request that uses Prisma loads it, which takes seconds on a busy machine.
    await iago.client.get('/api/v1/navigation_views');
    // No job reads this table.
    await whileLocked('navigation_views', async () => {
      await sendAndLeave('/api/v1/navigation_views');
      await waitForWaitingStatements(0);
    });
    expect((await iago.client.get('/api/v1/navigation_views')).status).toBe(200);
    expect(cluster.log.join('\n')).not.toContain('Unhandled error');
  });

  it('rolls back the transaction of a write', async () => {
    const before = await iago.client.get<{ saved_snippets: unknown[] }>('/api/v1/saved_snippets');
    await whileLocked('saved_snippets', async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      await sendAndLeave('/api/v1/saved_snippets', { method: 'POST', headers, body: 'title=Gone&content=Gone' });
      await waitForWaitingStatements(0);
    });
    const after = await iago.client.get('/api/v1/saved_snippets');
    expect([after.status, after.body]).toEqual([200, before.body]);
  });

  it('does not cancel a realm lookup for which other requests wait', async () => {
    await server.runtime.realmSites.invalidate();
    let second: Promise<Response> | undefined;
    const lookup = 'r.deactivated AS "isDeactivated"';
    await whileLocked('realms', async () => {
      const leaving = new AbortController();
      const first = fetch(`${url}/`, { signal: leaving.signal });
      await waitForWaitingStatements(1, lookup);
      second = fetch(`${url}/`);
      await setTimeout(100);
      leaving.abort();
      await expect(first).rejects.toThrow('aborted');
      await setTimeout(100);
      await waitForWaitingStatements(1, lookup);
    });
    expect((await second)?.status).toBe(200);
  });
});

describe('STATEMENT_TIMEOUT_MS', () => {
  it('makes a request with a longer statement respond 503 with Retry-After', async () => {
    const limited = await cluster.start(limit);
    await whileLocked('drafts', async () => {
      expect(await send(limited, 'GET', '/api/v1/drafts')).toEqual(overload);
    });
  });
});

describe('write on a database server that accepts only reads', () => {
  it('responds 503 with Retry-After, and succeeds after the promotion of the database without a restart', async () => {
    const name = pg.escapeIdentifier(new URL(cluster.database.url).pathname.slice(1));
    await other.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await other.query(
      `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const write = (): Promise<unknown> => send(server, 'POST', '/api/v1/saved_snippets', 'title=Lost&content=Lost');
    await expect
      .poll(async () => (await write()) && cluster.log.some((line) => line.includes('in a read-only transaction')))
      .toBe(true);
    expect(await write()).toEqual(overload);
    const read = await send(server, 'GET', '/api/v1/saved_snippets');
    await other.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    expect(read).toEqual([200, undefined, undefined]);
    // Each connection that was opened meanwhile ends with its first write.
    await expect.poll(write).toEqual([200, undefined, undefined]);
  });
});

describe('write whose transaction fails in every attempt', () => {
  it.each(['40P01', '40001'])('responds 503 with Retry-After: SQLSTATE %s', async (state) => {
    await other.query(`
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '${state}'; END $$;
      CREATE TRIGGER lose BEFORE INSERT ON saved_snippets FOR EACH STATEMENT EXECUTE FUNCTION lose()`);
    const response = await send(server, 'POST', '/api/v1/saved_snippets', 'title=Lost&content=Lost');
    await other.query('DROP FUNCTION lose CASCADE');
    expect(response).toEqual(overload);
  });
});
