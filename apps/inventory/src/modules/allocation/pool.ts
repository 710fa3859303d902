import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../../engine/declaration/model.js';
import { lockAllocations } from '../../locks.js';

/** Columns of the object that others are allocated from. */
export type Parent = Readonly<Record<string, unknown>>;

/** Requested object of an allocation, as sent. */
export type RequestedObject = Readonly<Record<string, unknown>>;

/** A kind of allocation: its parent, the allocated objects and the path (docs/contract/inventory.md 2.1). */
export interface Pool {
  readonly parent: ModelDefinition;
  readonly child: ModelDefinition;
  /** Last segment of the path. */
  readonly path: string;
  /** Response keys of the allocated value and of its related object. */
  readonly shown: readonly [thing: string, context: string];
  /** Columns of the parent in addition to `id`, as SQL on the alias `t`. */
  readonly columns: string;
  /** Model of the related object shown with each item, and the parent's column with its id. */
  readonly context: { readonly model: ModelDefinition; readonly column: string };
  /** Returns the first free values in ascending order. */
  free(tx: Tx, parent: Parent, limit: number): Promise<readonly (string | number)[]>;
  /**
   * Assigns the next free value to each requested object. No other allocation gets the same value until the transaction
   * ends. A parent that is locked for this is read after the lock, because it may have changed meanwhile. Returns the
   * bodies of the objects to create, or null if there are not enough values.
   *
   * @throws AppError VALIDATION_FAILED with one entry per object, if one is invalid
   */
  take(
    tx: Tx,
    parent: LockableParent,
    requestedObjects: readonly RequestedObject[],
  ): Promise<readonly RequestedObject[] | null>;
}

/** A parent that is read after it is locked. */
export interface LockableParent {
  /** Id in its canonical form, which is the key of the lock. */
  readonly id: string;
  /**
   * Reads the current state of the parent.
   *
   * @throws AppError OBJECT_NOT_FOUND
   */
  read(): Promise<Parent>;
}

/** Locks a parent, so that allocations from it run one after another, and then reads it. */
export async function lockParent(tx: Tx, kind: number, parent: LockableParent): Promise<Parent> {
  await lockAllocations(tx, kind, parent.id);
  return parent.read();
}
