import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../../engine/declaration/model.js';

/** What is given out is given out of this: a row of the parent's table, by column. */
export type Parent = Readonly<Record<string, unknown>>;

/** A body of a request, before it is read. */
export type Wish = Readonly<Record<string, unknown>>;

/** What one endpoint gives out, and of what (contract 2.1). */
export interface Pool {
  readonly parent: ModelDefinition;
  readonly child: ModelDefinition;
  /** Last part of the path. */
  readonly path: string;
  /** Key of the thing given out, and of what it is shown with. */
  readonly shown: readonly [thing: string, context: string];
  /** Columns of the parent beside `id`, as SQL on the alias `t`. */
  readonly columns: string;
  /** The object that items are shown with: its model and the parent's column that holds its id. */
  readonly context: { readonly model: ModelDefinition; readonly column: string };
  /** The first things that are free, as texts or numbers, in order. */
  free(tx: Tx, parent: Parent, limit: number): Promise<readonly (string | number)[]>;
  /**
   * Gives each wish the next free thing, in the caller's transaction, until which ends nobody else is given the same.
   * Answers the bodies of the objects to make; null when there is not enough.
   *
   * @throws AppError VALIDATION_FAILED keyed by index for a wish that cannot be read
   */
  take(tx: Tx, parent: Parent, wishes: readonly Wish[]): Promise<readonly Wish[] | null>;
}

/** Kinds of locks on parents, the numbers of contract 2.1; those of addresses and prefixes are taken by the database. */
export const lockKinds = { vlans: 100_300, asns: 100_400 } as const;

/** Lets one transaction at a time give out of this parent. */
export async function lockParent(tx: Tx, kind: number, parent: Parent): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [`parent ${String(parent['id'])}`, kind]);
}
