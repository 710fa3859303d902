import type { OpenTx, Tx } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockAggregateBlocks, lockIpRanges } from '../src/models/ipam/address-block-locks.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { runInOpenTransaction, untilWaiting as untilLocksWait } from './support/hold-row-locks.js';

/**
 * Number of rows in a large write (`rows`), and the maximum number of locks that the test expects for the write
 * (`maxLocks`). The maximum also allows for locks on the prefixes that contain the rows.
 */
const rows = 1_500;
const maxLocks = 1_100;

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory();
});
afterAll(() => test.close());

const addresses = `INSERT INTO ipam_ipaddress (address, status)
  SELECT set_masklen(inet '10.0.0.0' + n, 32), 'active' FROM generate_series(1, $1::int) n`;
const prefixes = `INSERT INTO ipam_prefix (prefix, status)
  SELECT set_masklen(inet '10.0.0.0' + n::bigint * 256, 24)::cidr, 'active' FROM generate_series(1, $1::int) n`;

async function locksHeld(tx: OpenTx): Promise<number> {
  const { rows: counts } = await tx.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`,
  );
  return counts[0]?.n ?? 0;
}

type Lock = readonly [kind: 'IPAM' | 'VRF' | 'row', mode: 'shared' | 'alone'];

/** Returns the distinct advisory locks on the given VRFs that a transaction has. */
async function ipamLocks(tx: OpenTx, vrfs: readonly (number | null)[]): Promise<Lock[]> {
  const { rows: locks } = await tx.query<{ kind: Lock[0]; mode: Lock[1] }>(
    `SELECT DISTINCT CASE WHEN classid = 100000 AND objsubid = 2 THEN 'IPAM'
        WHEN (classid::bigint << 32) | objid::bigint IN (SELECT ipam_vrf_lock(v) FROM unnest($1::bigint[]) v) THEN 'VRF'
        ELSE 'row' END AS kind,
      CASE mode WHEN 'ShareLock' THEN 'shared' ELSE 'alone' END AS mode
     FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`,
    [vrfs],
  );
  return locks.map(({ kind, mode }): Lock => [kind, mode]).toSorted();
}

async function createVrfs(count: number): Promise<number[]> {
  const { rows: made } = await test.inventory.database.query<{ id: number }>(
    `INSERT INTO ipam_vrf (name, enforce_unique) SELECT 'vrf ' || n, true FROM generate_series(1, $1::int) n RETURNING id::int`,
    [count],
  );
  return made.map(({ id }) => id);
}

/**
 * Writes many rows in one transaction. Before that transaction ends, another transaction writes one row. Returns the
 * number of locks, the order in which the transactions ended, and the error of the second transaction.
 */
async function manyBesideOne(many: string, one: string): Promise<{ locks: number; order: string[]; refusal: unknown }> {
  const { database } = test.inventory;
  const order: string[] = [];
  let refusal: unknown = null;
  let locks = 0;
  let other: Promise<void> = Promise.resolve();
  await database.inTransaction(async (tx) => {
    await tx.query(many, [rows]);
    locks = await locksHeld(tx);
    other = database
      .query(one)
      .catch((error: unknown) => (refusal = error))
      .then(() => void order.push('one'));
    await tx.query('SELECT pg_sleep(0.3)');
    order.push('many');
  });
  await other;
  return { locks, order, refusal };
}

describe('transaction that writes very many addresses or prefixes', () => {
  it('acquires a bounded number of locks', async () => {
    const address = `INSERT INTO ipam_ipaddress (address, status) VALUES ('10.0.5.0/32', 'active')`;
    const outcome = await manyBesideOne(addresses, address);
    expect(outcome.locks).toBeLessThan(maxLocks);
    // The last of the many rows has no separate lock. Another writer of this row waits and is then rejected.
    expect(outcome.order).toEqual(['many', 'one']);
    expect(outcome.refusal).toMatchObject({ constraint: 'ipam_ipaddress_duplicate' });

    const prefix = `INSERT INTO ipam_prefix (prefix, status) VALUES ('10.5.200.0/24', 'active')`;
    const ofPrefixes = await manyBesideOne(prefixes, prefix);
    expect(ofPrefixes.locks).toBeLessThan(maxLocks + rows / 10);
    expect(ofPrefixes.order).toEqual(['many', 'one']);
    expect(ofPrefixes.refusal).toMatchObject({ constraint: 'ipam_prefix_duplicate' });
  });

  it('succeeds for eight concurrent clients without deadlock', async () => {
    const bodies = (client: number): object[] =>
      Array.from({ length: rows }, (_, n) => ({ address: `10.${100 + client}.${n >> 8}.${n & 255}/32` }));
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, client) => test.api.post('/api/ipam/ip-addresses/', { json: bodies(client) })),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    const { rows: counts } = await test.inventory.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ipam_ipaddress WHERE host(address)::inet << '10.96.0.0/12'::inet`,
    );
    expect(counts).toEqual([{ n: 8 * rows }]);
  });
});

describe('ipam_lock_vrfs', () => {
  let vrfs: number[];
  beforeAll(async () => {
    vrfs = await createVrfs(1_001);
  });

  /** Returns the locks that a transaction has after it has locked VRFs in order to write `rowCount` rows. */
  const locksFor = (of: readonly (number | null)[], rowCount: number): Promise<Lock[]> =>
    test.inventory.database.inTransaction(async (tx) => {
      await tx.query('SELECT ipam_lock_vrfs($1::bigint[], $2)', [of, rowCount]);
      return ipamLocks(tx, of);
    });

  it.each([
    [
      'shares the VRFs of up to 1,000 rows',
      2,
      1_000,
      [
        ['IPAM', 'shared'],
        ['VRF', 'shared'],
      ],
    ],
    [
      'locks up to 1,000 VRFs of more rows',
      1_000,
      1_001,
      [
        ['IPAM', 'shared'],
        ['VRF', 'alone'],
      ],
    ],
    ['locks IPAM alone for more rows of more VRFs', 1_001, 1_001, [['IPAM', 'alone']]],
  ] as const)('acquires the expected advisory locks: %s', async (_, count, rowCount, expected) => {
    expect(await locksFor([null, ...vrfs].slice(0, count), rowCount)).toEqual(expected);
  });

  it('does not upgrade the lock of a transaction that has written a row', async () => {
    const [vrf = 0] = vrfs;
    const locks = await test.inventory.database.inTransaction(async (tx) => {
      await tx.query(`INSERT INTO ipam_ipaddress (address, status, vrf_id) VALUES ('10.9.0.1/32', 'active', $1)`, [
        vrf,
      ]);
      await tx.query('SELECT ipam_lock_vrfs(ARRAY[$1::bigint], 1001)', [vrf]);
      return ipamLocks(tx, [vrf]);
    });
    expect(locks).toEqual([
      ['IPAM', 'shared'],
      ['VRF', 'shared'],
      ['row', 'alone'],
    ]);
  });
});

describe('uncommitted large write in one VRF', () => {
  /**
   * Runs `work` while another transaction has locked the given VRFs. The other transaction locks the VRFs for a write
   * of more than 1,000 rows.
   */
  async function beside(
    vrfs: readonly (number | null)[],
    work: (pid: number) => Promise<void>,
    insert = 'SELECT',
  ): Promise<void> {
    let pid = 0;
    const open = await runInOpenTransaction(test.inventory.database, async (tx) => {
      await tx.query('SELECT ipam_lock_vrfs($1::bigint[], 1001)', [vrfs]);
      await tx.query(insert);
      const { rows: own } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      pid = own[0]?.pid ?? 0;
    });
    try {
      await work(pid);
    } finally {
      await open.release();
    }
  }

  /** Waits until a transaction is blocked by the database session with the given process id. */
  const untilWaiting = async (pid: number): Promise<void> => {
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))`;
    await expect
      .poll(async () => (await test.inventory.database.query<{ n: number }>(waiting, [pid])).rows, { timeout: 30_000 })
      .toEqual([{ n: 1 }]);
  };

  const post = (path: string, body: object): Promise<{ status: number }> =>
    test.api.post(`/api/ipam/${path}/`, { json: body });

  it('does not delay writes of another VRF or of the global table', async () => {
    const [own = 0, other = 0] = await createVrfs(2);
    await beside([own], async () => {
      const addresses = ['10.20.0.1/24', '10.20.0.2/24'];
      expect(await post('ip-addresses', { address: addresses[0], vrf: other })).toMatchObject({ status: 201 });
      expect(await post('ip-addresses', { address: addresses[0] })).toMatchObject({ status: 201 });
      expect(await post('prefixes', { prefix: '10.20.0.0/24', vrf: other })).toMatchObject({ status: 201 });
      const many = Array.from({ length: 1_001 }, (_, n) => ({ address: `10.21.${n >> 8}.${n & 255}/16`, vrf: other }));
      expect(await post('ip-addresses', many)).toMatchObject({ status: 201 });
    });
  });

  it('does not delay writes of another VRF when it writes in 100 VRFs', async () => {
    const [other = 0, ...own] = await createVrfs(101);
    await beside(own, async (pid) => {
      expect(await post('ip-addresses', { address: '10.27.0.1/24', vrf: other })).toMatchObject({ status: 201 });
      expect(await post('prefixes', { prefix: '10.27.0.0/24' })).toMatchObject({ status: 201 });
      const { rows: locks } = await test.inventory.database.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND pid = $1`,
        [pid],
      );
      expect(locks).toEqual([{ n: own.length }]);
    });
  });

  it.each([
    ['ip-addresses', (vrf: number | null) => ({ address: '10.22.0.1/24', vrf })],
    ['prefixes', (vrf: number | null) => ({ prefix: '10.22.0.0/24', vrf })],
  ])('delays POST /api/ipam/%s/ of the same VRF until it commits', async (path, body) => {
    const [own = 0] = await createVrfs(1);
    for (const vrf of [own, null]) {
      let request: Promise<{ status: number }> | undefined;
      await beside([vrf], async (pid) => {
        request = post(path, body(vrf));
        await untilWaiting(pid);
      });
      expect(await request).toMatchObject({ status: 201 });
    }
  });

  it('delays a PATCH that moves a prefix into this VRF, which is then rejected as a duplicate', async () => {
    const [own = 0, other = 0] = await createVrfs(2);
    const { rows: made } = await test.inventory.database.query<{ id: number }>(
      `INSERT INTO ipam_prefix (prefix, status, vrf_id) VALUES ('10.23.0.0/24', 'active', $1) RETURNING id::int`,
      [other],
    );
    let request: Promise<{ status: number }> | undefined;
    const insert = `INSERT INTO ipam_prefix (prefix, status, vrf_id) VALUES ('10.23.0.0/24', 'active', ${own})`;
    const move = async (pid: number): Promise<void> => {
      request = test.api.patch(`/api/ipam/prefixes/${made[0]?.id ?? 0}/`, { json: { vrf: own } });
      await untilWaiting(pid);
    };
    await beside([own], move, insert);
    expect(await request).toMatchObject({ status: 400 });
  });

  it('makes an allocation use the VRF to which its parent prefix moves while the allocation waits', async () => {
    const [from = 0, to = 0] = await createVrfs(2);
    const { database } = test.inventory;
    const { rows: made } = await database.query<{ id: number }>(
      `INSERT INTO ipam_prefix (prefix, status, vrf_id) VALUES ('10.26.0.0/16', 'active', $1) RETURNING id::int`,
      [from],
    );
    const id = made[0]?.id ?? 0;
    const open = await runInOpenTransaction(database, (tx) =>
      tx.query('UPDATE ipam_prefix SET vrf_id = $1 WHERE id = $2', [to, id]),
    );
    const wishes = Array.from({ length: 1_001 }, () => ({ prefix_length: 30 }));
    const request = test.api.post(`/api/ipam/prefixes/${id}/available-prefixes/`, { json: wishes });
    await untilLocksWait(database, 1);
    await open.release();
    expect(await request).toMatchObject({ status: 201 });
    const { rows: counts } = await database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM ipam_prefix WHERE vrf_id = $1',
      [to],
    );
    expect(counts).toEqual([{ n: 1_002 }]);
  });

  it('locks its VRFs in ascending order, regardless of the order of the written rows', async () => {
    const [first = 0, second = 0] = await createVrfs(2);
    const many = Array.from({ length: 1_002 }, (_, n) => ({
      address: `10.24.${n >> 8}.${n & 255}/16`,
      vrf: n % 2 === 0 ? second : first,
    }));
    let request: Promise<{ status: number }> | undefined;
    await beside([first], async (pid) => {
      request = post('ip-addresses', many);
      await untilWaiting(pid);
      // The waiting request has not yet locked the second VRF.
      expect(await post('ip-addresses', { address: '10.25.0.1/24', vrf: second })).toMatchObject({ status: 201 });
    });
    expect(await request).toMatchObject({ status: 201 });
  });
});

describe('ipam_lock_blocks', () => {
  /**
   * Returns the number of locks in each lock mode that a transaction has after it has locked address blocks of the
   * global table.
   */
  const locksFor = (blocks: readonly string[]): Promise<object> =>
    test.inventory.database.inTransaction(async (tx) => {
      await tx.query(
        'SELECT ipam_lock_blocks(100500, array_fill(0::bigint, ARRAY[cardinality($1::cidr[])]), $1::cidr[])',
        [blocks],
      );
      const { rows: locks } = await tx.query<{ shared: number; alone: number }>(
        `SELECT count(*) FILTER (WHERE mode = 'ShareLock')::int AS shared, count(*) FILTER (WHERE mode <> 'ShareLock')::int AS alone
          FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`,
      );
      return locks[0] ?? {};
    });

  it('locks an address block exclusively, and each containing block in shared mode', async () => {
    expect(await locksFor(['10.0.0.0/8'])).toEqual({ shared: 1 + 8, alone: 1 });
  });

  it('locks a containing block exclusively when the transaction also writes the containing block', async () => {
    expect(await locksFor(['10.0.0.0/9', '10.0.0.0/8'])).toEqual({ shared: 1 + 8, alone: 2 });
  });

  it('locks the whole address family when a transaction writes more than 1,000 blocks', async () => {
    const blocks = Array.from({ length: 1_001 }, (_, n) => `2001:${n.toString(16)}::/32`);
    expect(await locksFor(blocks)).toEqual({ shared: 1, alone: 1 });
  });
});

describe('uncommitted write of aggregates or IP ranges', () => {
  const range = (first: string, last: string): object => ({ start_address: `${first}/8`, end_address: `${last}/8` });
  const post = (path: string, body: object): Promise<{ status: number }> =>
    test.api.post(`/api/ipam/${path}/`, { json: body });
  let rir: number;
  beforeAll(async () => {
    const made = await test.api.post<{ id: number }>('/api/ipam/rirs/', { json: { name: 'RIR', slug: 'rir' } });
    rir = made.body.id;
  });

  it('does not delay writes of other addresses', async () => {
    const open = await runInOpenTransaction(test.inventory.database, async (tx) => {
      await lockAggregateBlocks(tx, [{ before: null, after: { prefix: '20.0.0.0/9' } }]);
      const columns = { vrf_id: null, start_address: '20.0.0.1/8', end_address: '20.0.0.9/8' };
      await lockIpRanges(tx, [{ before: null, after: columns }]);
    });
    try {
      expect(await post('aggregates', { prefix: '20.128.0.0/9', rir })).toMatchObject({ status: 201 });
      expect(await post('ip-ranges', range('20.0.0.16', '20.0.0.20'))).toMatchObject({ status: 201 });
    } finally {
      await open.release();
    }
  });

  it.each([
    [
      'aggregates',
      (): object => ({ prefix: '21.0.0.0/8', rir }),
      async (tx: Tx): Promise<void> => {
        await lockAggregateBlocks(tx, [{ before: null, after: { prefix: '21.0.0.0/16' } }]);
        await tx.query(`INSERT INTO ipam_aggregate (prefix, rir_id) VALUES ('21.0.0.0/16', $1)`, [rir]);
      },
    ],
    [
      'ip-ranges',
      (): object => range('21.0.1.1', '21.0.1.2'),
      async (tx: Tx): Promise<void> => {
        const after = { vrf_id: null, start_address: '21.0.0.9/8', end_address: '21.0.1.9/8' };
        await lockIpRanges(tx, [{ before: null, after }]);
        await tx.query(`INSERT INTO ipam_iprange (start_address, end_address) VALUES ('21.0.0.9/8', '21.0.1.9/8')`);
      },
    ],
  ])('delays an overlapping POST /api/ipam/%s/, which is then rejected', async (path, body, write) => {
    const open = await runInOpenTransaction(test.inventory.database, write);
    const request = post(path, body());
    await untilLocksWait(test.inventory.database, 1);
    await open.release();
    expect(await request).toMatchObject({ status: 400 });
  });

  it('responds 201 or 400, without a deadlock, to concurrent requests with the same blocks in opposite order', async () => {
    const networks = ['22.0.0.0/8', '22.1.0.0/16', '22.1.1.0/24', '23.0.0.0/8', '23.1.0.0/16', '24.0.0.0/6'];
    const requests = networks.map((_, first) => {
      const own = [networks[first], networks[(first + 3) % networks.length]].map((prefix) => ({ prefix, rir }));
      return Promise.all([post('aggregates', own), post('aggregates', own.toReversed())]);
    });
    const statuses = (await Promise.all(requests)).flat().map(({ status }) => status);
    expect(statuses.filter((status) => status !== 201 && status !== 400)).toEqual([]);
    const { rows: overlaps } = await test.inventory.database.query(
      'SELECT FROM ipam_aggregate a JOIN ipam_aggregate b ON a.prefix::inet && b.prefix::inet AND a.id < b.id',
    );
    expect(overlaps).toEqual([]);
  });
});
