import type { Tx } from '@switchboard/database';
import { addressBits } from '../../engine/kinds/ip-network.js';
import { prefix } from '../../models/ipam/prefix.js';
import { vrf } from '../../models/ipam/vrf.js';
import { type Block, gapsBetween, type Network, networksOf, takeNetworks } from './free-blocks.js';
import type { LockableParent, Parent, Pool, Wish } from './pool.js';
import { readLengths } from './prefix-length.js';

interface Space {
  readonly family: 4 | 6;
  readonly bits: number;
  readonly gaps: readonly Block[];
}

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
    const { gaps, family, bits } = await this.#space(tx, parent);
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
    const parent = await lockSpace(tx, given);
    const lengths = readLengths(parent, wishes, { required: true }).map(Number);
    const { gaps, family, bits } = await this.#space(tx, parent);
    const taken = takeNetworks(gaps, lengths, bits);
    if (taken === null) return null;
    const texts = await inWords(tx, taken, family);
    return wishes.map((wish, index) => ({ ...wish, prefix: texts[index], vrf: parent['vrf_id'] }));
  }

  async #space(tx: Tx, parent: Parent): Promise<Space> {
    const family = parent['family'] === 4 ? 4 : 6;
    const bits = family === 4 ? 32 : 128;
    const blockOf = (text: string): Block => {
      const [address = '', length = ''] = text.split('/');
      const first = addressBits(address, family);
      return { first, last: first + (1n << BigInt(bits - Number(length))) - 1n };
    };
    const { rows } = await tx.query<{ prefix: string }>(
      `SELECT DISTINCT p.prefix::text, p.prefix AS place FROM ipam_prefix p
        WHERE p.prefix::inet << $1::inet AND ($3 OR p.vrf_id IS NOT DISTINCT FROM $2) ORDER BY p.prefix`,
      [parent['prefix'], parent['vrf_id'], parent['everywhere']],
    );
    const taken = rows.map((row) => blockOf(row.prefix));
    return { family, bits, gaps: gapsBetween(blockOf(String(parent['prefix'])), taken) };
  }
}

/** Locks the space of a prefix; again, when the prefix has moved while its lock was waited for. */
async function lockSpace(tx: Tx, { read }: LockableParent): Promise<Parent> {
  let parent = await read();
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
