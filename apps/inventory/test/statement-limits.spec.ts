import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

const path = '/api/dcim/sites/';
const overload = [503, { detail: 'Service unavailable' }, '5'];

let test: TestInventory;
let url: string;
/**
 * Database connection of the test, separate from the connection pool of the service. The test locks tables and counts
 * statements through this connection.
 */
let other: pg.Client;

beforeAll(async () => {
  test = await startInventory();
  await test.fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = test.fastify.server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  other = await connect(test);
});

afterAll(async () => {
  await other.end();
  await test.close();
});

async function connect({ inventory }: TestInventory): Promise<pg.Client> {
  const client = new pg.Client(inventory.config.DATABASE_URL);
  await client.connect();
  return client;
}

/** Sends a request without the check of the test client, which rejects every response with a status of at least 500. */
async function send(service: TestInventory, method: 'GET' | 'POST' | 'PATCH', payload?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${service.adminToken}` };
  const response = await service.fastify.inject({ method, url: path, headers, ...(payload && { payload }) });
  return [response.statusCode, response.json(), response.headers['retry-after']];
}

/** Runs `work` while another transaction has locked the table of sites. */
async function whileLocked(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN; LOCK TABLE dcim_site IN ACCESS EXCLUSIVE MODE');
  try {
    await work();
  } finally {
    await client.query('ROLLBACK');
  }
}

async function countWaiting(): Promise<number> {
  const { rowCount } = await other.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

const waiting = (count: number) => expect.poll(countWaiting, { interval: 10, timeout: 10_000 }).toBe(count);

/** Sends a request whose client disconnects while an SQL statement of the request waits for the lock. */
async function sendAndLeave(query: string, init: RequestInit = {}): Promise<void> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${test.adminToken}`, 'content-type': 'application/json' };
  const response = fetch(`${url}${path}${query}`, { ...init, headers, signal: leaving.signal });
  await waiting(1);
  leaving.abort();
  await expect(response).rejects.toThrow('aborted');
}

describe('client that disconnects', () => {
  it.each(['', '?name__regex=^a'])(
    'causes the cancellation of the SQL statement of its request: GET sites/%s',
    async (query) => {
      await test.api.get(path);
      await whileLocked(other, async () => {
        await sendAndLeave(query);
        await waiting(0);
      });
      expect((await test.api.get(path)).status).toBe(200);
    },
  );

  it('causes a rollback of its write', async () => {
    const { body: site } = await test.api.post<{ id: number }>(path, { json: { name: 'Kept', slug: 'kept' } });
    await whileLocked(other, async () => {
      await sendAndLeave(`${site.id}/`, { method: 'PATCH', body: JSON.stringify({ name: 'Gone' }) });
      await waiting(0);
    });
    const { status, body } = await test.api.get<{ name: string }>(`${path}${site.id}/`);
    expect([status, body.name]).toEqual([200, 'Kept']);
  });
});

describe('STATEMENT_TIMEOUT_MS', () => {
  it('causes status 503 with Retry-After when a statement takes longer', async () => {
    const limited = await startInventory({ STATEMENT_TIMEOUT_MS: '1000' });
    const client = await connect(limited);
    await whileLocked(client, async () => {
      expect(await send(limited, 'GET')).toEqual(overload);
    });
    await client.end();
    await limited.close();
  });

  it('causes status 503 with Retry-After when a statement of a long list waits longer for a lock', async () => {
    const limited = await startInventory({ STATEMENT_TIMEOUT_MS: '1000', UPDATE_IN_MEMORY_MAX: '1' });
    const client = await connect(limited);
    const tenant = await limited.api.post<{ id: number }>('/api/tenancy/tenants/', { json: { name: 'T', slug: 't' } });
    const json = ['a', 'b'].map((name) => ({ name, slug: name }));
    const { body: list } = await limited.api.post<{ id: number }[]>(path, { json });
    await client.query('BEGIN');
    await client.query('SELECT FROM tenancy_tenant WHERE id = $1 FOR UPDATE', [tenant.body.id]);
    // The statement that updates the rows of a long list may run for ten minutes.
    const changes = list.map(({ id }) => ({ id, tenant: tenant.body.id }));
    expect(await send(limited, 'PATCH', changes)).toEqual(overload);
    await client.query('ROLLBACK');
    expect((await limited.api.patch(path, { json: changes })).status).toBe(200);
    await client.end();
    await limited.close();
  });

  it('causes status 400 for a list that is filtered by a slow pattern', async () => {
    await whileLocked(other, async () => {
      const { status, body } = await test.api.get(`${path}?name__regex=^a`);
      expect([status, body]).toEqual([400, { name__regex: ['This regular expression takes too long to match.'] }]);
    });
  });
});

describe('transaction that fails in every attempt, or that finds no memory', () => {
  it.each(['40P01', '40001', '53200'])('responds 503 with Retry-After to the request: SQLSTATE %s', async (state) => {
    await other.query(`
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '${state}'; END $$;
      CREATE TRIGGER lose BEFORE INSERT ON dcim_site FOR EACH STATEMENT EXECUTE FUNCTION lose()`);
    const response = await send(test, 'POST', { name: 'Lost', slug: 'lost' });
    await other.query('DROP FUNCTION lose CASCADE');
    expect(response).toEqual(overload);
  });
});
