import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { lockAllocations } from '../../database-locks.js';

/** Columns of the parent of an allocation: the object that others are allocated from, such as a prefix. */
export type AllocationParent = Readonly<Record<string, unknown>>;

/** Fields of an object to allocate, as the client sent them. */
export type AllocationRequestBody = Readonly<Record<string, unknown>>;

/**
 * A kind of allocation, such as addresses from a prefix: the model of the parent, the model of the allocated objects,
 * and the endpoint's path (docs/contract/inventory.md 2.1).
 */
export interface AllocationPool {
  readonly parent: ModelDefinition;
  readonly child: ModelDefinition;
  /** Last segment of the endpoint's path, such as `available-ips`. */
  readonly path: string;
  /**
   * JSON keys of a free object in responses: the key of the free value, such as `address`, and the key of the related
   * object, such as `vrf`.
   */
  readonly shown: readonly [thing: string, context: string];
  /** SQL of the parent's columns to read in addition to `id`, on the alias `t`. */
  readonly columns: string;
  /** Model of the related object shown with each free value, and the parent's column that contains its id. */
  readonly context: { readonly model: ModelDefinition; readonly column: string };
  /** Returns the first free values of a parent in ascending order. */
  listFree(tx: Tx, parent: AllocationParent, limit: number): Promise<readonly (string | number)[]>;
  /**
   * Assigns the next free value to each object to allocate. No other allocation gets the same value until the
   * transaction ends. If the parent is locked for the allocation, it is read after the lock, because it may have
   * changed while waiting. Returns the bodies of the objects to create, or null if there are not enough values.
   *
   * @throws AppError VALIDATION_FAILED with one entry per object, if one is invalid
   */
  allocate(
    tx: Tx,
    parent: LockableParent,
    requestedObjects: readonly AllocationRequestBody[],
  ): Promise<readonly AllocationRequestBody[] | null>;
}

/** Parent of an allocation, which is read after its lock is acquired. */
export interface LockableParent {
  /** Id of the parent in its canonical form, which is the key of the lock. */
  readonly id: string;
  /**
   * Reads the current state of the parent.
   *
   * @throws AppError OBJECT_NOT_FOUND if the parent was deleted
   */
  read(): Promise<AllocationParent>;
}

/** Locks the parent of an allocation, so that allocations from it run one after another, and then reads it. */
export async function lockAndReadParent(tx: Tx, kind: number, parent: LockableParent): Promise<AllocationParent> {
  await lockAllocations(tx, kind, parent.id);
  return parent.read();
}
