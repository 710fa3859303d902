import type { OpenTx } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/harness.js';

/** More than a transaction locks one by one; with room for the few locks of a tree of prefixes above them. */
const rows = 1_500;
const mostLocks = 1_100;

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

/** Writes many in a transaction and, before it ends, one in another. Answers what came of the one, and the locks. */
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

describe('writing very many addresses or prefixes in one transaction', () => {
  it('holds a bounded number of locks, so that any number of rows fits into the server', async () => {
    const address = `INSERT INTO ipam_ipaddress (address, status) VALUES ('10.0.5.0/32', 'active')`;
    const outcome = await manyBesideOne(addresses, address);
    expect(outcome.locks).toBeLessThan(mostLocks);
    // The last of the many was written without a lock of its own: who writes it too has to wait, and is refused.
    expect(outcome.order).toEqual(['many', 'one']);
    expect(outcome.refusal).toMatchObject({ constraint: 'ipam_ipaddress_duplicate' });

    const prefix = `INSERT INTO ipam_prefix (prefix, status) VALUES ('10.5.200.0/24', 'active')`;
    const ofPrefixes = await manyBesideOne(prefixes, prefix);
    expect(ofPrefixes.locks).toBeLessThan(mostLocks + rows / 10);
    expect(ofPrefixes.order).toEqual(['many', 'one']);
    expect(ofPrefixes.refusal).toMatchObject({ constraint: 'ipam_prefix_duplicate' });
  });

  it('lets eight clients who do so at once get through, one after the other', async () => {
    const bodies = (client: number): object[] =>
      Array.from({ length: rows }, (_, n) => ({ address: `10.${100 + client}.${n >> 8}.${n & 255}/32` }));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, client) => test.api.post('/api/ipam/ip-addresses/', { json: bodies(client) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const { rows: counts } = await test.inventory.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ipam_ipaddress WHERE host(address)::inet << '10.96.0.0/12'::inet`,
    );
    expect(counts).toEqual([{ n: 8 * rows }]);
  });
});
