import type { Tx } from '@switchboard/database';
import { convertIpAddressToInteger } from '../../engine/field-types/ip-network.js';
import { lockIpPrefix } from '../../database-locks.js';
import { prefixModel } from '../../models/ipam/prefix.js';
import { vrfModel } from '../../models/ipam/vrf.js';
import { mustLockVrfsExclusively, lockVrfs } from '../../models/ipam/vrf-locks.js';
import {
  type AddressBlock,
  type IpNetwork,
  listCoveringNetworks,
  chooseFreeNetworks,
} from './find-free-address-blocks.js';
import type {
  LockableAllocationParent,
  AllocationParent,
  AllocationPool,
  AllocationRequestBody,
} from './allocation-pool.js';
import { parsePrefixLengths } from './parse-prefix-lengths.js';

interface FreeAddressBlocks {
  readonly family: 4 | 6;
  readonly bits: number;
  /**
   * Free blocks of addresses inside a prefix, in ascending order. If there are fewer blocks than requested, the list
   * contains all free blocks.
   */
  readonly gaps: readonly AddressBlock[];
}

/**
 * Row of an SQL result that describes the start of a free block. The row has the last occupied address before the
 * block, and the next prefix after that address.
 */
interface FreeBlockRow {
  /** Text of the first prefix inside the parent prefix. Only the first row of the result has this meaning. */
  readonly prefix: string;
  readonly reach: string;
  readonly next: string | null;
}

/**
 * Number of free blocks that the first SQL statement reads. If none of these blocks is large enough, the next statement
 * reads ten times as many blocks.
 */
const initialFreeBlockCount = 100;

/**
 * Returns the SQL statement that finds up to `$2` free blocks of addresses inside the prefix `$1`. The first row of the
 * result belongs to the first occupied prefix, even if no free block follows that prefix. PostgreSQL reads prefixes in
 * index order and stops after the last block.
 */
const createFreeBlocksSql = (
  space: string,
  order: (alias: string) => string,
): string => `SELECT prefix::text, host(reach) AS reach, next::text FROM (
    SELECT p.vrf_id, p.prefix, row_number() OVER w AS n, max(ipam_last_address(p.prefix)) OVER w AS reach, lead(p.prefix) OVER w AS next
    FROM ipam_prefix p WHERE ${space} AND p.prefix > $1::cidr AND p.prefix <= ipam_last_address($1::cidr)
    WINDOW w AS (ORDER BY ${order('p')} ROWS UNBOUNDED PRECEDING)) placed
  WHERE n = 1 OR next IS NULL OR (host(next)::inet > reach AND host(next)::inet - 1 > reach)
  ORDER BY ${order('placed')} LIMIT $2 + 1`;

/** Lists and allocates free prefixes inside a parent prefix. */
export class PrefixPool implements AllocationPool {
  readonly parent = prefixModel;
  readonly child = prefixModel;
  readonly path = 'available-prefixes';
  readonly shown = ['prefix', 'vrf'] as const;
  readonly context = { model: vrfModel, column: 'vrf_id' };
  readonly columns = `t.vrf_id, t.prefix::text AS prefix, masklen(t.prefix) AS length, family(t.prefix) AS family,
    t.vrf_id IS NULL AND t.status = 'container' AS everywhere`;

  /** Returns the first free blocks inside a parent prefix; see {@link AllocationPool.listFree}. */
  async listFree(tx: Tx, parent: AllocationParent, limit: number): Promise<string[]> {
    const { gaps, family, bits } = await this.#readFreeBlocks(tx, parent, limit);
    const found: IpNetwork[] = [];
    for (const gap of gaps) {
      for (const network of listCoveringNetworks(gap, bits)) {
        if (found.length >= limit) return formatNetworks(tx, found, family);
        found.push(network);
      }
    }
    return formatNetworks(tx, found, family);
  }

  /**
   * Allocates prefixes inside a parent prefix; see {@link AllocationPool.allocate}. This method takes a lock for which
   * other writes of prefixes inside the parent wait.
   */
  async allocate(
    tx: Tx,
    given: LockableAllocationParent,
    requestedObjects: readonly AllocationRequestBody[],
  ): Promise<AllocationRequestBody[] | null> {
    const parent = await lockAddressSpace(tx, given, requestedObjects.length);
    const lengths = parsePrefixLengths(parent, requestedObjects, { required: true }).map(Number);
    for (let most = initialFreeBlockCount; ; most *= 10) {
      const { gaps, family, bits } = await this.#readFreeBlocks(tx, parent, most);
      const taken = chooseFreeNetworks(gaps, lengths, bits);
      if (taken !== null) {
        const texts = await formatNetworks(tx, taken, family);
        return requestedObjects.map((requestedObject, index) => ({
          ...requestedObject,
          prefix: texts[index],
          vrf: parent['vrf_id'],
        }));
      }
      if (gaps.length < most) return null;
    }
  }

  async #readFreeBlocks(tx: Tx, parent: AllocationParent, most: number): Promise<FreeAddressBlocks> {
    const family = parent['family'] === 4 ? 4 : 6;
    const bits = family === 4 ? 32 : 128;
    const blockOf = (text: string): AddressBlock => {
      const [address = '', length = bits] = text.split('/');
      const first = convertIpAddressToInteger(address, family);
      return { first, last: first + (1n << BigInt(bits - Number(length))) - 1n };
    };
    const vrf = parent['everywhere'] === true ? null : parent['vrf_id'];
    const inVrf = vrf === null ? 'p.vrf_id IS NULL' : 'p.vrf_id = $3';
    // The index has both VRF and prefix, so that the order must name both to use it.
    const statement =
      parent['everywhere'] === true
        ? createFreeBlocksSql('true', (alias) => `${alias}.prefix`)
        : createFreeBlocksSql(inVrf, (alias) => `${alias}.vrf_id NULLS FIRST, ${alias}.prefix`);
    const values = [parent['prefix'], most, ...(vrf === null ? [] : [vrf])];
    const { rows } = await tx.query<FreeBlockRow>(statement, values);
    const whole = blockOf(String(parent['prefix']));
    const [head] = rows;
    if (head === undefined) return { family, bits, gaps: [whole] };
    const bounds = [
      { first: whole.first, last: blockOf(head.prefix).first - 1n },
      ...rows.map(({ reach, next }) => ({
        first: blockOf(reach).first + 1n,
        last: next === null ? whole.last : blockOf(next).first - 1n,
      })),
    ];
    return { family, bits, gaps: bounds.filter(({ first, last }) => first <= last) };
  }
}

/**
 * Locks the address space of a prefix, so that other writes in the address space wait. If the prefix changes while
 * waiting for the lock, locks the address space of the changed prefix.
 */
async function lockAddressSpace(tx: Tx, { read }: LockableAllocationParent, count: number): Promise<AllocationParent> {
  let parent = await read();
  if (mustLockVrfsExclusively(count)) {
    // Without this lock, the prefix could move to another VRF, which would then be locked after the shared lock of
    // IPAM.
    await lockIpPrefix(tx, parent['id']);
    parent = await read();
  }
  await lockVrfs(tx, new Set([parent['vrf_id']]), count);
  for (;;) {
    const { prefix: network, vrf_id: space } = parent;
    await tx.query('SELECT ipam_lock_prefix($1::cidr, $2)', [network, space]);
    parent = await read();
    if (parent['prefix'] === network && parent['vrf_id'] === space) return parent;
  }
}

/** Returns the text of each network in PostgreSQL's format, which abbreviates IPv6 addresses. */
async function formatNetworks(tx: Tx, networks: readonly IpNetwork[], family: 4 | 6): Promise<string[]> {
  const texts = networks.map(({ address, length }) => `${formatIpv6Address(address, family)}/${length}`);
  const { rows } = await tx.query<{ text: string }>(
    'SELECT network::text AS text FROM unnest($1::cidr[]) WITH ORDINALITY AS given(network, n) ORDER BY n',
    [texts],
  );
  return rows.map(({ text }) => text);
}

function formatIpv6Address(address: bigint, family: 4 | 6): string {
  const [width, count, radix, mark] = family === 4 ? ([8n, 4, 10, '.'] as const) : ([16n, 8, 16, ':'] as const);
  const part = (index: number): string =>
    ((address >> (width * BigInt(count - 1 - index))) & ((1n << width) - 1n)).toString(radix);
  return Array.from({ length: count }, (_, index) => part(index)).join(mark);
}
