import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { statementsOf } from './support/record-list-statements.js';

interface Prefix {
  readonly id: number;
  readonly prefix: string;
  readonly vrf: { readonly id: number } | null;
  readonly children: number;
  readonly _depth: number;
}

/** Runs a function outside the current transaction, like a request from another client. */
const outside = AsyncLocalStorage.snapshot();

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory();
});
afterAll(() => test.close());

/** Returns a function that generates random integers from 0 to below `below`. The same seed gives the same integers. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/**
 * Returns a random prefix inside 10.0.0.0/8 or 2001:db8::/32. Its prefix length exceeds that of the containing network
 * by at most eight bits.
 */
function randomPrefix(random: (below: number) => number): string {
  const length = random(9);
  const bits = random(2 ** length) << (8 - length);
  return random(2) === 0 ? `10.${bits}.0.0/${8 + length}` : `2001:db8:${(bits << 8).toString(16)}::/${32 + length}`;
}

/** Returns a text with the IP version of a prefix and the bits of its network address. */
function bitsOf({ prefix }: Pick<Prefix, 'prefix'>): string {
  const [address = '', length = ''] = prefix.split('/');
  const isSmall = prefix.includes('.');
  const byte = isSmall ? Number(address.split('.')[1]) : Number.parseInt(address.split(':')[2] || '0', 16) >> 8;
  const further = byte
    .toString(2)
    .padStart(8, '0')
    .slice(0, Number(length) - (isSmall ? 8 : 32));
  return `${isSmall ? 'IPv4' : 'IPv6'} ${further}`;
}

function covers(one: Prefix, other: Prefix): boolean {
  const [short, long] = [bitsOf(one), bitsOf(other)];
  return one.vrf?.id === other.vrf?.id && long.length > short.length && long.startsWith(short);
}

async function list(query: string): Promise<Prefix[]> {
  const { status, body } = await test.api.get<{ results: Prefix[] }>(`/api/ipam/prefixes/?limit=1000&${query}`);
  expect(status).toBe(200);
  return body.results;
}

async function expectNaiveNumbers(): Promise<void> {
  const all = await list('');
  const numbers = all.map((one) => ({
    id: one.id,
    depth: all.filter((other) => covers(other, one)).length,
    children: all.filter((other) => covers(one, other)).length,
  }));
  expect(all.map(({ id, _depth, children }) => ({ id, depth: _depth, children }))).toEqual(numbers);
  const found = async (query: string): Promise<number[]> => (await list(query)).map(({ id }) => id);
  const ids = (some: { readonly id: number }[]): number[] => some.map(({ id }) => id);
  expect(await found('depth=2')).toEqual(ids(numbers.filter(({ depth }) => depth === 2)));
  expect(await found('depth__gte=1&children__n=0')).toEqual(
    ids(numbers.filter(({ depth, children }) => depth >= 1 && children !== 0)),
  );
  const deep = ids(numbers.filter(({ depth }) => depth >= 1));
  expect(await found('depth__gte=1&offset=3')).toEqual(deep.slice(3));
  expect(await found('depth__gte=1&offset=99999999999')).toEqual([]);
  expect(await found('depth__gte=1&ordering=-id')).toEqual(deep.toSorted((a, b) => b - a));
  expect(await found('children__gt=3')).toEqual(ids(numbers.filter(({ children }) => children > 3)));
  const byDepth = numbers.toSorted((a, b) => a.depth - b.depth || a.id - b.id);
  expect(await found('ordering=_depth')).toEqual(ids(byDepth));
  expect(await found('ordering=_depth&offset=40')).toEqual(ids(byDepth).slice(40));
  const byChildren = numbers.toSorted((a, b) => b.children - a.children || a.id - b.id);
  expect(await found('ordering=-children')).toEqual(ids(byChildren));
}

/** Deletes all prefixes, and creates random prefixes in the global table and in two new VRFs. */
async function createRandomPrefixes(
  random: (below: number) => number,
): Promise<{ readonly spaces: readonly (number | null)[]; readonly created: readonly Prefix[] }> {
  await test.inventory.database.query('DELETE FROM ipam_prefix');
  const spaces: (number | null)[] = [null];
  for (const name of ['One', 'Two']) {
    const json = { name, enforce_unique: false };
    spaces.push((await test.api.post<{ id: number }>('/api/ipam/vrfs/', { json })).body.id);
  }
  const bodies = Array.from({ length: 70 }, () => ({ prefix: randomPrefix(random), vrf: spaces[random(3)] ?? null }));
  const isFirst = ({ prefix }: { prefix: string }, index: number): boolean =>
    bodies.findIndex((other) => other.vrf === null && other.prefix === prefix) === index;
  // The global table refuses duplicates.
  const json = bodies.filter((body, index) => body.vrf !== null || isFirst(body, index));
  const created = await test.api.post<Prefix[]>('/api/ipam/prefixes/', { json });
  expect(created.status).toBe(201);
  return { spaces, created: created.body };
}

describe('_depth and children of /api/ipam/prefixes/', () => {
  it('filter and sort a list of some VRFs as they do a list of all prefixes', async () => {
    const { spaces, created } = await createRandomPrefixes(randomNumbers(23));
    for (const some of [[null], spaces.slice(1, 2), spaces.slice(1), spaces.slice(0, 2)]) {
      const query = some.map((vrf) => `vrf_id=${vrf ?? 'null'}`).join('&');
      const own = created.filter(({ vrf }) => some.includes(vrf?.id ?? null)).map(({ id }) => id);
      expect(own.length).toBeGreaterThan(5);
      for (const question of ['depth__gte=1', 'children__gt=0', 'ordering=_depth', 'ordering=-children']) {
        const inAll = (await list(question)).map(({ id }) => id).filter((id) => own.includes(id));
        const found = (await list(`${question}&${query}`)).map(({ id }) => id);
        expect([query, question, found]).toEqual([query, question, inAll]);
        expect(found.length).toBeGreaterThan(0);
      }
    }
  });

  it.each([1, 7, 2026])('equal a naive computation after random writes (seed %i)', async (seed) => {
    const random = randomNumbers(seed);
    const { spaces, created } = await createRandomPrefixes(random);
    const numbersOf = ({ id, _depth, children }: Prefix): number[] => [id, _depth, children];
    expect(created.map(numbersOf)).toEqual((await list('ordering=id')).map(numbersOf));
    await expectNaiveNumbers();
    for (const { id } of created.slice(0, 20)) {
      const change = { prefix: randomPrefix(random), vrf: spaces[1 + random(2)] };
      const { status, body } = await test.api.patch<Prefix>(`/api/ipam/prefixes/${id}/`, { json: change });
      expect(status).toBe(200);
      const [listed] = await list(`id=${id}`);
      expect(numbersOf(body)).toEqual(listed && numbersOf(listed));
    }
    await test.api.delete('/api/ipam/prefixes/', { json: created.slice(10, 30).map(({ id }) => ({ id })) });
    await expectNaiveNumbers();
  });
});

/**
 * Returns the number of buffers that PostgreSQL reads for a page of prefixes, and the number of scans over all
 * prefixes.
 */
async function costOf(query: string): Promise<{ readonly buffers: number; readonly scans: number }> {
  const { choosing, reading } = await statementsOf(test, `ipam/prefixes/?${query}`);
  const cost = { buffers: 0, scans: 0 };
  for (const { text, values } of new Set([choosing, reading])) {
    const { rows } = await test.inventory.database.pool.query(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
      values,
    );
    const { Plan: plan } = rows[0]['QUERY PLAN'][0];
    cost.buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    cost.scans += nodesOf(plan).filter((node) => rowsReadBy(node) >= 20_000).length;
  }
  return cost;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function rowsReadBy(node: PlanNode): number {
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}

/** Returns the nodes of a query plan that scan a table, an index or a function. */
function nodesOf(plan: PlanNode): PlanNode[] {
  const below = (plan.Plans ?? []).flatMap(nodesOf);
  return /(Index|Seq|Index Only|Function) Scan$/.test(plan['Node Type']) ? [plan, ...below] : below;
}

describe('prefix that covers 20,000 others', () => {
  beforeAll(async () => {
    const { database } = test.inventory;
    await database.query('TRUNCATE ipam_prefix, row_counts CASCADE');
    await database.inTransaction(async (tx) => {
      // Triggers are disabled, because they would take most of the time.
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(`INSERT INTO ipam_prefix (prefix)
        SELECT set_masklen('10.0.0.0'::inet + 256 * n::bigint, 24)::cidr FROM generate_series(1, 20000) n
        UNION ALL SELECT '10.78.32.0/23'`);
      await tx.query(`INSERT INTO row_counts (model, slot, n) VALUES ('ipam.prefix', 0, 20001)`);
    });
    await database.pool.query('VACUUM ANALYZE ipam_prefix');
  });

  it('causes no update of other rows when it is created, moved or deleted', async () => {
    const written = await test.inventory.database.inTransaction(async (tx) => {
      // Counted within a transaction, because statistics of earlier transactions may not be reported yet.
      const count = async (): Promise<number> => {
        const { rows } = await tx.query<{ n: number }>(
          `SELECT (n_tup_ins + n_tup_upd + n_tup_del)::int AS n FROM pg_stat_xact_user_tables WHERE relname = 'ipam_prefix'`,
        );
        return rows[0]?.n ?? 0;
      };
      const before = await count();
      await tx.query(`INSERT INTO ipam_prefix (prefix) VALUES ('10.0.0.0/8')`);
      await tx.query(`UPDATE ipam_prefix SET prefix = '10.0.0.0/9' WHERE prefix = '10.0.0.0/8'`);
      await tx.query(`DELETE FROM ipam_prefix WHERE prefix = '10.0.0.0/9'`);
      return (await count()) - before;
    });
    expect(written).toBe(3);
  });

  it('does not delay writes of contained prefixes while its transaction is open', async () => {
    const undone = new Error('undone');
    const work = test.inventory.database.inTransaction(async (tx) => {
      await tx.query(`INSERT INTO ipam_prefix (prefix) VALUES ('10.0.0.0/8')`);
      const json = { prefix: '10.200.0.0/24' };
      const { status, body } = await outside(() => test.api.post<Prefix>('/api/ipam/prefixes/', { json }));
      expect([status, body._depth]).toEqual([201, 0]);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
  });

  it.each([
    // Each of the 50 rows needs one lookup per mask length.
    ['limit=50', 3000, 0],
    ['limit=50&depth=0', 8000, 1],
    ['limit=50&depth=1', 8000, 1],
    ['limit=50&children=0', 8000, 1],
    ['limit=50&children__gt=0', 8000, 1],
    ['limit=50&ordering=-_depth', 8000, 1],
    ['limit=50&ordering=children', 8000, 1],
  ])(
    'appears in a list that reads a bounded number of buffers and scans all prefixes at most once: %s',
    async (query, most, scans) => {
      const cost = await costOf(query);
      expect(cost.buffers).toBeLessThanOrEqual(most);
      expect(cost.scans).toBeLessThanOrEqual(scans);
    },
  );

  it.each(['depth=0', 'children=0', 'ordering=_depth', 'ordering=children'])(
    'adds little to the buffers that a list of another VRF reads: %s',
    async (query) => {
      const { database } = test.inventory;
      const { rows } = await database.query<{ id: string }>(
        `INSERT INTO ipam_vrf (name, enforce_unique) VALUES ('Small', false) RETURNING id`,
      );
      const vrf = rows[0]?.id;
      await database.query(
        `INSERT INTO ipam_prefix (prefix, vrf_id) SELECT set_masklen('10.0.0.0'::inet + 256 * n, 24)::cidr, $1 FROM generate_series(1, 3) n`,
        [vrf],
      );
      const page = await costOf(`limit=50&vrf_id=${vrf}`);
      const { buffers, scans } = await costOf(`limit=50&vrf_id=${vrf}&${query}`);
      expect(scans).toBe(0);
      expect(buffers - page.buffers).toBeLessThan(60);
    },
  );

  it('appears in a list without use of the GiST index when no page of the table is all-visible', async () => {
    const { pool } = test.inventory.database;
    await pool.query('ALTER TABLE ipam_prefix SET (autovacuum_enabled = off)');
    await pool.query("UPDATE ipam_prefix SET description = 'changed'");
    await pool.query('ANALYZE ipam_prefix');
    const { reading } = await statementsOf(test, 'ipam/prefixes/?limit=50');
    const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${reading.text}`, reading.values);
    await pool.query('ALTER TABLE ipam_prefix RESET (autovacuum_enabled)');
    expect(JSON.stringify(rows)).toContain('ipam_prefix_order_idx');
    expect(JSON.stringify(rows)).not.toContain('ipam_prefix_prefix_idx');
  });
});

describe('POST /api/ipam/prefixes/{id}/available-prefixes/', () => {
  it('allocates no block that overlaps a prefix of an open transaction', async () => {
    const { database } = test.inventory;
    const json = { prefix: '172.16.0.0/16' };
    const { body: parent } = await test.api.post<Prefix>('/api/ipam/prefixes/', { json });
    const given = await database.inTransaction(async (tx) => {
      await tx.query(`INSERT INTO ipam_prefix (prefix) VALUES ('172.16.0.128/25')`);
      const path = `/api/ipam/prefixes/${parent.id}/available-prefixes/`;
      const allocation = outside(() => test.api.post<Prefix>(path, { json: { prefix_length: 24 } }));
      let isDone = false;
      void allocation.finally(() => (isDone = true));
      const waits = async (): Promise<boolean> => {
        const { rows } = await outside(() =>
          database.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`),
        );
        return isDone || rows.length > 0;
      };
      await expect.poll(waits, { timeout: 10_000 }).toBe(true);
      return { allocation };
    });
    const { status, body } = await given.allocation;
    expect([status, body.prefix]).toEqual([201, '172.16.1.0/24']);
  });
});

describe('GET /api/ipam/prefixes/{id}/available-prefixes/ above 20,000 prefixes', () => {
  it('reads only free blocks, and stops after the requested number', async () => {
    const { database } = test.inventory;
    const { body: parent } = await test.api.post<Prefix>('/api/ipam/prefixes/', { json: { prefix: '10.0.0.0/8' } });
    // Frees 10.0.10.0/24, 10.0.20.0/24 and so on.
    await database.query(`DELETE FROM ipam_prefix p USING generate_series(1, 2000) n
      WHERE p.vrf_id IS NULL AND p.prefix = set_masklen('10.0.0.0'::inet + 2560 * n::bigint, 24)::cidr`);
    await database.pool.query('VACUUM ANALYZE ipam_prefix');
    const query = vi.spyOn(database, 'query');
    const { body } = await test.api.get<Prefix[]>(`/api/ipam/prefixes/${parent.id}/available-prefixes/?limit=5`);
    expect(body.map(({ prefix }) => prefix)).toEqual([0, 10, 20, 30, 40].map((n) => `10.0.${n}.0/24`));
    const results = await Promise.all(query.mock.results.map(({ value }) => value as Promise<{ rows: unknown[] }>));
    expect(Math.max(...results.map(({ rows }) => rows.length))).toBeLessThan(20);
    const [text, values] =
      query.mock.calls.find(([statement]) => String(statement).includes('FROM ipam_prefix p')) ?? [];
    query.mockRestore();
    const explained = await database.pool.query(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${String(text)}`,
      values as unknown[],
    );
    expect(explained.rows[0]['QUERY PLAN'][0].Plan['Shared Hit Blocks']).toBeLessThan(30);
  });
});
