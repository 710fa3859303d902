import type { Tx } from '@switchboard/database';
import { asn } from '../../models/ipam/asn.js';
import { asnRange } from '../../models/ipam/asn-range.js';
import { rir } from '../../models/ipam/rir.js';
import { vlan } from '../../models/ipam/vlan.js';
import { vlanGroup } from '../../models/ipam/vlan-group.js';
import { lockKinds, lockParent, type Pool, type Wish } from './pool.js';

/** Free AS numbers of a range. */
export const asnPool: Pool = {
  parent: asnRange,
  child: asn,
  path: 'available-asns',
  shown: ['asn', 'rir'],
  columns: 't."start", t."end", t.rir_id, t.tenant_id',
  context: { model: rir, column: 'rir_id' },
  // A set in the select list is made as it is read: ranges may hold billions.
  free: (tx, parent, limit) =>
    numbers(
      tx,
      `SELECT n FROM (SELECT generate_series($1::bigint, $2::bigint) AS n) given
        WHERE NOT EXISTS (SELECT FROM ipam_asn a WHERE a.asn = given.n) LIMIT $3`,
      [parent['start'], parent['end'], limit],
    ),
  take: async (tx, parent, wishes) => {
    await lockParent(tx, lockKinds.asns, parent);
    const tenant = parent['tenant_id'] === null ? {} : { tenant: parent['tenant_id'] };
    const given = await asnPool.free(tx, parent, wishes.length);
    return handOut(wishes, given, (number) => ({ asn: number, rir: parent['rir_id'], ...tenant }));
  },
};

/** Free ids of a VLAN group. */
export const vlanPool: Pool = {
  parent: vlanGroup,
  child: vlan,
  path: 'available-vlans',
  shown: ['vid', 'group'],
  columns: 't.id AS group_id',
  context: { model: vlanGroup, column: 'group_id' },
  free: (tx, parent, limit) =>
    numbers(
      tx,
      `SELECT n FROM (SELECT generate_series(lower(r), upper(r) - 1) AS n
          FROM ipam_vlangroup g, unnest(g.vid_ranges) r WHERE g.id = $1) given
        WHERE NOT EXISTS (SELECT FROM ipam_vlan v WHERE v.group_id = $1 AND v.vid = given.n) ORDER BY n LIMIT $2`,
      [parent['id'], limit],
    ),
  take: async (tx, parent, wishes) => {
    await lockParent(tx, lockKinds.vlans, parent);
    const given = await vlanPool.free(tx, parent, wishes.length);
    return handOut(wishes, given, (number) => ({ vid: number, group: parent['id'] }));
  },
};

async function numbers(tx: Tx, text: string, values: unknown[]): Promise<number[]> {
  const { rows } = await tx.query<{ n: number }>(text, values);
  return rows.map(({ n }) => n);
}

function handOut(
  wishes: readonly Wish[],
  given: readonly (string | number)[],
  fields: (thing: string | number) => Wish,
): Wish[] | null {
  const handed = wishes.flatMap((wish, index) => {
    const thing = given[index];
    return thing === undefined ? [] : [{ ...wish, ...fields(thing) }];
  });
  return handed.length < wishes.length ? null : handed;
}
