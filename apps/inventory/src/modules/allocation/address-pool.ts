import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { ipAddressModel } from '../../models/ipam/ip-address.js';
import { vrfModel } from '../../models/ipam/vrf.js';
import {
  type LockableAllocationParent,
  type AllocationParent,
  type AllocationPool,
  type AllocationRequestBody,
} from './allocation-pool.js';
import { parsePrefixLengths } from './parse-prefix-lengths.js';

/**
 * SQL columns that describe a prefix whose addresses are allocated, such as its first and last available address. The
 * network address and the broadcast address are unavailable, unless the prefix is a pool.
 */
const prefixColumnsSql = `masklen(t.prefix) AS length, family(t.prefix) AS family,
  t.vrf_id IS NULL AND t.status = 'container' AS everywhere,
  CASE WHEN t.is_pool OR masklen(t.prefix) >= (CASE family(t.prefix) WHEN 4 THEN 31 ELSE 127 END)
    THEN host(t.prefix) ELSE host(t.prefix::inet + 1) END AS first,
  CASE WHEN t.is_pool OR family(t.prefix) = 6 OR masklen(t.prefix) >= 31
    THEN host(broadcast(t.prefix)) ELSE host(broadcast(t.prefix) - 1) END AS last`;

const ipRangeColumnsSql = `masklen(t.start_address) AS length, family(t.start_address) AS family, false AS everywhere,
  host(t.start_address) AS first, host(t.end_address) AS last`;

/** Finds and allocates the free IP addresses of a prefix or an IP range. */
export class AddressPool implements AllocationPool {
  readonly child = ipAddressModel;
  readonly path = 'available-ips';
  readonly shown = ['address', 'vrf'] as const;
  readonly context = { model: vrfModel, column: 'vrf_id' };
  readonly columns: string;

  constructor(
    readonly parent: ModelDefinition,
    kind: 'prefix' | 'range',
  ) {
    this.columns = `t.vrf_id, ${kind === 'prefix' ? prefixColumnsSql : ipRangeColumnsSql}`;
  }

  /** Returns the lowest free addresses of a prefix or IP range; see {@link AllocationPool.listFree}. */
  async listFree(tx: Tx, parent: AllocationParent, limit: number): Promise<string[]> {
    const { rows } = await tx.query<{ host: string }>(
      'SELECT host(address) AS host FROM ipam_free_addresses($1, $2, $3, $4, $5) AS free(address)',
      [parent['first'], parent['last'], parent['vrf_id'], parent['everywhere'], limit],
    );
    return rows.map(({ host }) => `${host}/${String(parent['length'])}`);
  }

  /**
   * Allocates addresses of a prefix or IP range; see {@link AllocationPool.allocate}. Locks each address without
   * waiting for the lock. Does not lock the prefix or IP range.
   */
  async allocate(
    tx: Tx,
    given: LockableAllocationParent,
    requestedObjects: readonly AllocationRequestBody[],
  ): Promise<AllocationRequestBody[] | null> {
    const parent = await given.read();
    const lengths = parsePrefixLengths(parent, requestedObjects, { required: false });
    const { rows } = await tx.query<{ host: string }>(
      'SELECT host(address) AS host FROM ipam_allocate_addresses($1, $2, $3, $4, $5, $6) AS taken(address) ORDER BY address',
      [
        `${this.parent.type} ${String(parent['id'])}`,
        parent['first'],
        parent['last'],
        parent['vrf_id'],
        parent['everywhere'],
        requestedObjects.length,
      ],
    );
    if (rows.length < requestedObjects.length) return null;
    return requestedObjects.map((requestedObject, index) => ({
      ...requestedObject,
      address: `${rows[index]?.host ?? ''}/${lengths[index] ?? Number(parent['length'])}`,
      vrf: parent['vrf_id'],
    }));
  }
}
