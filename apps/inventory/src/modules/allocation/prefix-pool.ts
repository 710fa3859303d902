import type { Tx } from '@switchboard/database';
import { addressBits } from '../../engine/field-types/ip-network.js';
import { prefix } from '../../models/ipam/prefix.js';
import { vrf } from '../../models/ipam/vrf.js';
import { locksVrfs, lockVrfs } from '../../models/ipam/vrf-locks.js';
import { type Block, type Network, networksOf, takeNetworks } from './free-blocks.js';
import type { LockableParent, Parent, Pool, Wish } from './pool.js';
import { readLengths } from './prefix-length.js';

interface Space {
  readonly family: 4 | 6;
  readonly bits: number;
  /** Gaps between the prefixes below the parent, in order; all of them if there are fewer than were asked for. */
  readonly gaps: readonly Block[];
}

/** A boundary of free space: the greatest occupied address before it, and the next prefix. */
interface Border {
  /** The first prefix of all for the first border. */
  readonly prefix: string;
  readonly reach: string;
  readonly next: string | null;
}

/** Gaps that an allocation reads first; ten times as many as long as it finds no room among them. */
const fewGaps = 100;

/**
 * Finds borders of gaps below the prefix `$1`, at most `$2` and the first prefix, which is a border or not. The server reads
 * the prefixes in the order of an index and stops at the last border wanted.
 */
const borders = (
  space: string,
  order: (alias: string) => string,
): string => `SELECT prefix::text, host(reach) AS reach, next::text FROM (
    SELECT p.vrf_id, p.prefix, row_number() OVER w AS n, max(ipam_last_address(p.prefix)) OVER w AS reach, lead(p.prefix) OVER w AS next
    FROM ipam_prefix p WHERE ${space} AND p.prefix > $1::cidr AND p.prefix <= ipam_last_address($1::cidr)
    WINDOW w AS (ORDER BY ${order('p')} ROWS UNBOUNDED PRECEDING)) placed
  WHERE n = 1 OR next IS NULL OR (host(next)::inet > reach AND host(next)::inet - 1 > reach)
  ORDER BY ${order('placed')} LIMIT $2 + 1`;

/** Free blocks of a prefix. */
export class PrefixPool implements Pool {
  readonly parent = prefix;
  readonly child = prefix;
  readonly path = 'available-prefixes';
  readonly shown = ['prefix', 'vrf'] as const;
  readonly context = { model: vrf, column: 'vrf_id' };
  readonly columns = `t.vrf_id, t.prefix::text AS prefix, masklen(t.prefix) AS length, family(t.prefix) AS family,
    t.vrf_id IS NULL AND t.status = 'container' AS everywhere`;

  /** See {@link Pool.free}. */
  async free(tx: Tx, parent: Parent, limit: number): Promise<string[]> {
    const { gaps, family, bits } = await this.#space(tx, parent, limit);
    const found: Network[] = [];
    for (const gap of gaps) {
      for (const network of networksOf(gap, bits)) {
        if (found.length >= limit) return inWords(tx, found, family);
        found.push(network);
      }
    }
    return inWords(tx, found, family);
  }

  /** See {@link Pool.take}. Writers of prefixes below this one wait for the same lock. */
  async take(tx: Tx, given: LockableParent, wishes: readonly Wish[]): Promise<Wish[] | null> {
    const parent = await lockSpace(tx, given, wishes.length);
    const lengths = readLengths(parent, wishes, { required: true }).map(Number);
    for (let most = fewGaps; ; most *= 10) {
      const { gaps, family, bits } = await this.#space(tx, parent, most);
      const taken = takeNetworks(gaps, lengths, bits);
      if (taken !== null) {
        const texts = await inWords(tx, taken, family);
        return wishes.map((wish, index) => ({ ...wish, prefix: texts[index], vrf: parent['vrf_id'] }));
      }
      if (gaps.length < most) return null;
    }
  }

  async #space(tx: Tx, parent: Parent, most: number): Promise<Space> {
    const family = parent['family'] === 4 ? 4 : 6;
    const bits = family === 4 ? 32 : 128;
    const blockOf = (text: string): Block => {
      const [address = '', length = bits] = text.split('/');
      const first = addressBits(address, family);
      return { first, last: first + (1n << BigInt(bits - Number(length))) - 1n };
    };
    const vrf = parent['everywhere'] === true ? null : parent['vrf_id'];
    const inVrf = vrf === null ? 'p.vrf_id IS NULL' : 'p.vrf_id = $3';
    // The index of a VRF has both keys: its order is followed only if both are named.
    const statement =
      parent['everywhere'] === true
        ? borders('true', (alias) => `${alias}.prefix`)
        : borders(inVrf, (alias) => `${alias}.vrf_id NULLS FIRST, ${alias}.prefix`);
    const values = [parent['prefix'], most, ...(vrf === null ? [] : [vrf])];
    const { rows } = await tx.query<Border>(statement, values);
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

/** Locks the space of a prefix; again, when the prefix has moved while its lock was waited for. */
async function lockSpace(tx: Tx, { read }: LockableParent, count: number): Promise<Parent> {
  let parent = await read();
  if (locksVrfs(count)) {
    // A prefix that moved to another VRF now would have that VRF locked after the shared lock of IPAM was taken.
    await tx.query('SELECT FROM ipam_prefix WHERE id = $1 FOR SHARE', [parent['id']]);
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

/** Networks as PostgreSQL writes them: it alone knows how IPv6 is shortened. */
async function inWords(tx: Tx, networks: readonly Network[], family: 4 | 6): Promise<string[]> {
  const texts = networks.map(({ address, length }) => `${spelledOut(address, family)}/${length}`);
  const { rows } = await tx.query<{ text: string }>(
    'SELECT network::text AS text FROM unnest($1::cidr[]) WITH ORDINALITY AS given(network, n) ORDER BY n',
    [texts],
  );
  return rows.map(({ text }) => text);
}

function spelledOut(address: bigint, family: 4 | 6): string {
  const [width, count, radix, mark] = family === 4 ? ([8n, 4, 10, '.'] as const) : ([16n, 8, 16, ':'] as const);
  const part = (index: number): string =>
    ((address >> (width * BigInt(count - 1 - index))) & ((1n << width) - 1n)).toString(radix);
  return Array.from({ length: count }, (_, index) => part(index)).join(mark);
}
