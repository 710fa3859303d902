import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../../engine/declaration/model.js';

/** The parent that objects are allocated from: a row of its table, by column. */
export type Parent = Readonly<Record<string, unknown>>;

/** A body of a request, before it is read. */
export type Wish = Readonly<Record<string, unknown>>;

/** Allocation endpoint: the parent and the allocated objects (docs/contract/inventory.md 2.1). */
export interface Pool {
  readonly parent: ModelDefinition;
  readonly child: ModelDefinition;
  /** Last part of the path. */
  readonly path: string;
  /** Response keys of the allocated object and of its parent. */
  readonly shown: readonly [thing: string, context: string];
  /** Columns of the parent beside `id`, as SQL on the alias `t`. */
  readonly columns: string;
  /** The object that items are shown with: its model and the parent's column that holds its id. */
  readonly context: { readonly model: ModelDefinition; readonly column: string };
  /** The first things that are free, as texts or numbers, in order. */
  free(tx: Tx, parent: Parent, limit: number): Promise<readonly (string | number)[]>;
  /**
   * Assigns the next free thing to each wish. No other allocation gets the same until the transaction ends.
   * A parent that is locked for this is read after the lock: it may have changed meanwhile. Returns the bodies of the objects
   * to create, or null when there is not enough.
   *
   * @throws AppError VALIDATION_FAILED keyed by index for a wish that cannot be read
   */
  take(tx: Tx, parent: LockableParent, wishes: readonly Wish[]): Promise<readonly Wish[] | null>;
}

/** A parent that is not read yet. */
export interface LockableParent {
  /** Its id in the one form that names a lock. */
  readonly id: string;
  /** Reads it as it is now. @throws AppError OBJECT_NOT_FOUND */
  read(): Promise<Parent>;
}

/**
 * Kinds of locks on parents, the numbers of docs/contract/inventory.md 2.1; those of addresses and prefixes are taken
 * by the database.
 */
export const lockKinds = { vlans: 100_300, asns: 100_400 } as const;

/** Serializes allocations from this parent, and reads it afterwards. */
export async function lockParent(tx: Tx, kind: number, parent: LockableParent): Promise<Parent> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [`parent ${parent.id}`, kind]);
  return parent.read();
}
