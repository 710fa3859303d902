import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

let test: TestInventory;
/**
 * Database connection of the test, separate from the connection pool of the service. The test locks tables through this
 * connection.
 */
let other: pg.Client;

beforeAll(async () => {
  test = await startInventory();
  other = new pg.Client(test.inventory.config.DATABASE_URL);
  await other.connect();
});

afterAll(async () => {
  await other.end();
  await test.close();
});

const heavy = () => test.inventory.database.poolCounts.classes.heavy;

describe('requests that share the database connections', () => {
  it.each([
    ['q', '/api/core/object-changes/?q=n', 'core_objectchange'],
    ['a deep offset', '/api/core/object-changes/?limit=5&offset=50000', 'core_objectchange'],
    ['a filter by depth', '/api/ipam/prefixes/?depth=1', 'ipam_prefix'],
    ['an order by children', '/api/ipam/prefixes/?ordering=-children', 'ipam_prefix'],
  ])('succeed while another user sends 10 list requests with %s', async (_name, path, table) => {
    await test.asPlainUser(async (plain) => {
      await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const lists = Array.from({ length: 10 }, () => test.api.get(path));
      await expect.poll(heavy, { timeout: 10_000 }).toMatchObject({ inUse: 2, waiting: 8 });
      expect((await test.api.get('/api/dcim/sites/')).status).toBe(200);
      expect((await plain.get('/api/dcim/sites/')).status).toBe(403);
      await other.query('ROLLBACK');
      expect(new Set((await Promise.all(lists)).map(({ status }) => status))).toEqual(new Set([200]));
    });
  });

  it('look up the tokens of concurrent requests in few SQL statements', async () => {
    const spy = vi.spyOn(test.inventory.database.pool, 'query');
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        test.fastify.inject({
          url: '/api/dcim/sites/',
          headers: { authorization: n % 2 === 0 ? `Bearer nbt_${n}.secret` : `Token unknown${n}` },
        }),
      ),
    );
    const lookups = spy.mock.calls.filter(([statement]: unknown[]) => /users_token/.test(JSON.stringify(statement)));
    spy.mockRestore();
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([403]));
    expect(lookups.length).toBeLessThan(20);
  });
});
