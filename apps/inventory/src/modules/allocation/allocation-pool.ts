import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { lockAllocationsFromParent } from '../../database-locks.js';

/**
 * Column values of the parent of an allocation. The parent is the object from which other objects are allocated, such
 * as a prefix.
 */
export type AllocationParent = Readonly<Record<string, unknown>>;

/** Fields of an object to allocate, as the client sent them. */
export type AllocationRequestBody = Readonly<Record<string, unknown>>;

/**
 * A kind of allocation, such as addresses from a prefix. Defines the model of the parent, the model of the allocated
 * objects, and the path of the endpoint (docs/contract/inventory.md 2.1).
 */
export interface AllocationPool {
  readonly parent: ModelDefinition;
  readonly child: ModelDefinition;
  /** Last segment of the allocation endpoint's path, such as `available-ips`. */
  readonly path: string;
  /**
   * JSON keys of a free object in responses, for the free value, such as `address`, and the related object, such as
   * `vrf`.
   */
  readonly shown: readonly [thing: string, context: string];
  /**
   * SQL of the columns of the allocation's parent to read in addition to `id`. The table of the parent has the alias
   * `t`.
   */
  readonly columns: string;
  /**
   * Model of the related object that responses show with each free value. A column of the parent contains the object's
   * id.
   */
  readonly context: { readonly model: ModelDefinition; readonly column: string };
  /** Returns up to `limit` free values of the allocation's parent, in ascending order. */
  listFree(tx: Tx, parent: AllocationParent, limit: number): Promise<readonly (string | number)[]>;
  /**
   * Assigns the next free value to each object to allocate. No other allocation gets the same value until the
   * transaction ends. If the parent is locked for the allocation, it is read after the lock, because another
   * transaction may have changed the parent meanwhile. Returns the bodies of the objects to create, or null if there
   * are not enough values.
   *
   * @throws ApplicationError VALIDATION_FAILED with one entry per object, if one is invalid
   */
  allocate(
    tx: Tx,
    parent: LockableAllocationParent,
    requestedObjects: readonly AllocationRequestBody[],
  ): Promise<readonly AllocationRequestBody[] | null>;
}

/** Parent of an allocation, such as a prefix. The parent is read only after its lock is acquired. */
export interface LockableAllocationParent {
  /** Id of the allocation's parent in canonical form. The id is the key of the parent's lock. */
  readonly id: string;
  /**
   * Reads the current state of the parent.
   *
   * @throws ApplicationError OBJECT_NOT_FOUND if the parent was deleted
   */
  read(): Promise<AllocationParent>;
}

/**
 * Locks the parent of an allocation, so that allocations from the same parent run one after another. Then reads and
 * returns the parent.
 */
export async function lockAndReadAllocationParent(
  tx: Tx,
  kind: number,
  parent: LockableAllocationParent,
): Promise<AllocationParent> {
  await lockAllocationsFromParent(tx, kind, parent.id);
  return parent.read();
}
