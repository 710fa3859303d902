import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenTx } from '@switchboard/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

let test: TestInventory;
let third = 0;
let prefix: number;
beforeAll(async () => {
  test = await startInventory();
});
beforeEach(async () => {
  third += 1;
  const { body } = await test.api.post<{ id: number }>('/api/ipam/prefixes/', { json: { prefix: net('0/24') } });
  prefix = body.id;
});
afterAll(() => test.close());

const net = (last: number | string): string => `10.9.${third}.${last}`;

/** Runs a function outside the current transaction, like a request from another client. */
const outside = AsyncLocalStorage.snapshot();

/**
 * Allocates the given number of addresses from the test prefix in one request. Returns the addresses, or the HTTP
 * status of an error response.
 */
async function take(count: number): Promise<string[] | number> {
  const json = Array(count).fill({});
  const path = `/api/ipam/prefixes/${prefix}/available-ips/`;
  const { status, body } = await outside(() => test.api.post<{ address: string }[]>(path, { json }));
  return status === 201 ? body.map(({ address }) => address.replace('/24', '')) : status;
}

/**
 * Runs `meanwhile` while another transaction, which has executed `sql`, is still open. Then commits the other
 * transaction or rolls it back. Returns the result of `meanwhile`.
 */
async function holding<T>(
  sql: string,
  meanwhile: () => Promise<T>,
  end: 'commit' | 'roll back' = 'commit',
): Promise<T> {
  let response: { readonly value: T } | undefined;
  const undone = new Error('taken back');
  const work = async (tx: OpenTx): Promise<void> => {
    await tx.query(sql);
    response = { value: await meanwhile() };
    if (end === 'roll back') throw undone;
  };
  await outside(() => test.inventory.database.inTransaction(work)).catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  if (response === undefined) throw new Error('nothing was done meanwhile');
  return response.value;
}

const write = (last: number): string =>
  `INSERT INTO ipam_ipaddress (address, status) VALUES ('${net(last)}/24', 'active')`;
const remove = (last: number): string => `DELETE FROM ipam_ipaddress WHERE host(address)::inet = '${net(last)}'`;

/** Returns the addresses of the test prefix whose last numbers are `from` to `to`. */
const run = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, n) => net(from + n));

describe('POST /api/ipam/…/available-ips/ concurrently', () => {
  it('skips addresses that open transactions are writing, without waiting for these transactions', async () => {
    const given = await holding(write(1), () => holding(write(3), () => take(2)));
    expect(given).toEqual([net(2), net(4)]);
    expect(await take(1)).toEqual([net(5)]);
  });

  it('allocates addresses while another transaction that allocated many is still open', async () => {
    const { body } = await test.api.post<{ id: number }>('/api/ipam/prefixes/', { json: { prefix: '10.20.0.0/21' } });
    const many = `INSERT INTO ipam_ipaddress (address, status)
      SELECT set_masklen(inet '10.20.0.0' + n, 21), 'active' FROM generate_series(1, 900) n`;
    const given = await holding(many, async () => {
      const path = `/api/ipam/prefixes/${body.id}/available-ips/`;
      return outside(() => test.api.post<{ address: string }[]>(path, { json: Array(150).fill({}) }));
    });
    expect([given.status, given.body.at(0)?.address, given.body.length]).toEqual([201, '10.20.3.133/21', 150]);
  });

  it('waits for an open transaction when no other address is free, and reuses its addresses after a rollback', async () => {
    expect(await take(252)).toEqual(run(1, 252));
    let waiting: Promise<string[] | number> = Promise.resolve(0);
    const ask = async (): Promise<void> => {
      waiting = take(2);
      await untilSomebodyWaits();
    };
    await holding(write(253), ask, 'roll back');
    expect(await waiting).toEqual(run(253, 254));
    await test.inventory.database.query(remove(254));
    await holding(write(254), ask);
    expect(await waiting).toBe(409);
    await test.inventory.database.query(`${remove(1)} OR host(address)::inet = '${net(2)}'`);
    const responses = await Promise.all([take(2), take(2), take(2)]);
    expect(responses.filter((given) => given !== 409)).toEqual([run(1, 2)]);
  });

  it('starts at the first free address, regardless of the previous allocation', async () => {
    const { database } = test.inventory;
    expect(await take(150)).toEqual(run(1, 150));
    expect(await knownFull()).toBe(net(1));
    expect(await take(1)).toEqual([net(151)]);
    expect(await knownFull()).toBe(net(151));
    await database.query(remove(7));
    expect(await take(2)).toEqual([net(7), net(152)]);
    await database.query(`UPDATE ipam_ipaddress SET address = '10.8.${third}.9/24' WHERE host(address) = '${net(9)}'`);
    expect(await take(2)).toEqual([net(9), net(153)]);
    // A prefix that is found full while another transaction frees an address is not recorded as full.
    expect(await holding(remove(11), () => take(1))).toEqual([net(154)]);
    expect(await take(2)).toEqual([net(11), net(155)]);
    await database.query('TRUNCATE ipam_ipaddress CASCADE');
    expect(await take(1)).toEqual([net(1)]);
  });

  it('allocates from a range again after mark_populated is cleared', async () => {
    const bounds = { start_address: net('1/24'), end_address: net('100/24') };
    const json = { ...bounds, mark_populated: true };
    const { body } = await test.api.post<{ id: number }>('/api/ipam/ip-ranges/', { json });
    expect(await take(80)).toEqual(run(101, 180));
    expect(await take(1)).toEqual([net(181)]);
    await test.api.patch(`/api/ipam/ip-ranges/${body.id}/`, { json: { mark_populated: false } });
    expect(await take(1)).toEqual([net(1)]);
  });
});

async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await outside(() =>
      test.inventory.database.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`),
    );
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Returns the address at which the next allocation from the test prefix starts its search for free addresses. */
async function knownFull(): Promise<string | undefined> {
  const { rows } = await test.inventory.database.query<{ place: string }>(
    `SELECT host(place) AS place FROM ipam_full_space WHERE host(first) = '${net(1)}'`,
  );
  return rows[0]?.place ?? net(1);
}

describe('POST to an allocation endpoint whose parent changed during the lock wait', () => {
  const create = async (path: string, json: object): Promise<number> =>
    (await test.api.post<{ id: number }>(`/api/ipam/${path}/`, { json })).body.id;

  /**
   * Starts an allocation while another transaction has locked the parent object. The other transaction then changes the
   * parent object and commits.
   */
  async function allocateDuring(lock: string, change: string, path: string, json: object): Promise<unknown> {
    let allocation: Promise<unknown> = Promise.resolve();
    await holding(`${lock}; ${change}`, async () => {
      allocation = outside(() => test.api.post(`/api/ipam/${path}/`, { json })).then(({ body }) => body);
      const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      await outside(() =>
        expect.poll(async () => (await test.inventory.database.query(waiting)).rows.length).toBeGreaterThan(0),
      );
    });
    return allocation;
  }

  const parentLock = (id: number, kind: number) =>
    `SELECT pg_advisory_xact_lock(hashtextextended('parent ${id}', ${kind}))`;

  it('allocates the lowest free AS number of the changed range', async () => {
    const rir = await create('rirs', { name: 'moving', slug: 'moving' });
    const id = await create('asn-ranges', { name: 'moving', slug: 'moving', rir, start: 64_600, end: 64_610 });
    const change = `UPDATE ipam_asnrange SET "start" = 64605 WHERE id = ${id}`;
    const asn = await allocateDuring(parentLock(id, 100_400), change, `asn-ranges/00${id}/available-asns`, {});
    expect(asn).toMatchObject({ asn: 64_605 });
  });

  it('allocates the lowest free id of the changed VLAN group', async () => {
    const id = await create('vlan-groups', { name: 'moving', slug: 'moving', vid_ranges: [[10, 20]] });
    const change = `UPDATE ipam_vlangroup SET vid_ranges = ARRAY[int4range(15, 21)] WHERE id = ${id}`;
    const vlan = await allocateDuring(parentLock(id, 100_300), change, `vlan-groups/${id}/available-vlans`, {
      name: 'moved',
    });
    expect(vlan).toMatchObject({ vid: 15 });
  });

  it('allocates a block of the changed prefix', async () => {
    const lock = `SELECT ipam_lock_prefix(prefix, vrf_id) FROM ipam_prefix WHERE id = ${prefix}`;
    const change = `UPDATE ipam_prefix SET prefix = '10.10.${third}.0/24' WHERE id = ${prefix}`;
    const block = await allocateDuring(lock, change, `prefixes/${prefix}/available-prefixes`, { prefix_length: 28 });
    expect(block).toMatchObject({ prefix: `10.10.${third}.0/28` });
  });
});
