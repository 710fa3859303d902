import type { Tx } from '@switchboard/database';
import { asnModel } from '../../models/ipam/asn.js';
import { asnRangeModel } from '../../models/ipam/asn-range.js';
import { rirModel } from '../../models/ipam/rir.js';
import { vlanModel } from '../../models/ipam/vlan.js';
import { vlanGroupModel } from '../../models/ipam/vlan-group.js';
import { allocationLockKindNumbers } from '../../database-locks.js';
import { lockAndReadAllocationParent, type AllocationPool, type AllocationRequestBody } from './allocation-pool.js';

/**
 * SQL statement that returns up to `$3` of the lowest free AS numbers from `$1` to `$2`. The statement computes the
 * gaps between the taken numbers. It does not list all numbers, because a range may contain billions of numbers.
 */
const freeAsNumbersQuerySql = `WITH taken AS (SELECT asn FROM ipam_asn WHERE asn BETWEEN $1::bigint AND $2::bigint),
  gaps AS (
    SELECT coalesce(lag(asn) OVER (ORDER BY asn) + 1, $1::bigint) AS low, asn - 1 AS high FROM taken
    UNION ALL SELECT coalesce(max(asn) + 1, $1::bigint), $2::bigint FROM taken
  ),
  counted AS (
    SELECT low, high, coalesce(sum(high - low + 1) OVER (ORDER BY low ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS lower
    FROM gaps WHERE low <= high
  )
  SELECT n FROM counted, generate_series(low, least(high, low + $3::bigint - lower::bigint - 1)) AS n
    WHERE lower < $3::bigint ORDER BY n LIMIT $3::bigint`;

/** Lists and allocates the free AS numbers of an ASN range. */
export const asNumberPool: AllocationPool = {
  parent: asnRangeModel,
  child: asnModel,
  path: 'available-asns',
  shown: ['asn', 'rir'],
  columns: 't."start", t."end", t.rir_id, t.tenant_id',
  context: { model: rirModel, column: 'rir_id' },
  listFree: (tx, parent, limit) => listFreeNumbers(tx, freeAsNumbersQuerySql, [parent['start'], parent['end'], limit]),
  allocate: async (tx, given, requestedObjects) => {
    const parent = await lockAndReadAllocationParent(tx, allocationLockKindNumbers.asns, given);
    const tenant = parent['tenant_id'] === null ? {} : { tenant: parent['tenant_id'] };
    const numbersFree = await asNumberPool.listFree(tx, parent, requestedObjects.length);
    return assignNumbersToRequestedObjects(requestedObjects, numbersFree, (number) => ({
      asn: number,
      rir: parent['rir_id'],
      ...tenant,
    }));
  },
};

/** Lists and allocates the free VLAN ids of a VLAN group. */
export const vlanIdPool: AllocationPool = {
  parent: vlanGroupModel,
  child: vlanModel,
  path: 'available-vlans',
  shown: ['vid', 'group'],
  columns: 't.id AS group_id',
  context: { model: vlanGroupModel, column: 'group_id' },
  listFree: (tx, parent, limit) =>
    listFreeNumbers(
      tx,
      `SELECT n FROM (SELECT generate_series(lower(r), upper(r) - 1) AS n
          FROM ipam_vlangroup g, unnest(g.vid_ranges) r WHERE g.id = $1) given
        WHERE NOT EXISTS (SELECT FROM ipam_vlan v WHERE v.group_id = $1 AND v.vid = given.n) ORDER BY n LIMIT $2`,
      [parent['id'], limit],
    ),
  allocate: async (tx, given, requestedObjects) => {
    const parent = await lockAndReadAllocationParent(tx, allocationLockKindNumbers.vlans, given);
    const idsFree = await vlanIdPool.listFree(tx, parent, requestedObjects.length);
    return assignNumbersToRequestedObjects(requestedObjects, idsFree, (number) => ({
      vid: number,
      group: parent['id'],
    }));
  },
};

async function listFreeNumbers(tx: Tx, text: string, values: unknown[]): Promise<number[]> {
  const { rows } = await tx.query<{ n: number }>(text, values);
  return rows.map(({ n }) => n);
}

function assignNumbersToRequestedObjects(
  requestedObjects: readonly AllocationRequestBody[],
  given: readonly (string | number)[],
  fields: (thing: string | number) => AllocationRequestBody,
): AllocationRequestBody[] | null {
  const handed = requestedObjects.flatMap((requestedObject, index) => {
    const thing = given[index];
    return thing === undefined ? [] : [{ ...requestedObject, ...fields(thing) }];
  });
  return handed.length < requestedObjects.length ? null : handed;
}
