import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import type { Sql } from '../sql/pieces.js';

/** The request that changes something. */
export interface RequestInfo {
  readonly id: string;
  readonly method: string;
  /** Path without query. */
  readonly path: string;
}

/** One change to one object, before it is committed. */
export interface ObjectChange {
  readonly model: ModelDefinition;
  readonly id: number;
  readonly event: 'created' | 'updated' | 'deleted';
  /** JSON text of the whole object, after the change or, when deleted, before it; URLs without scheme and host. */
  readonly data: string;
  /** JSON texts in change-log form. */
  readonly prechange: string | null;
  readonly postchange: string | null;
}

/** Who changes something, and how. */
export interface ChangeContext {
  readonly username: string;
  readonly request: RequestInfo | null;
}

/** Takes note of changes inside the transaction that makes them. */
export interface ChangeSink {
  record(tx: Tx, changes: readonly ObjectChange[], context: ChangeContext): void;
  /**
   * An INSERT that takes note of created objects, for the statement that creates them. `from` has the columns `id`,
   * `data` and `snapshot`, texts as in {@link ObjectChange} but with URLs that begin with `$1`. Its own parameters
   * begin at `$3`.
   */
  creationSql(model: ModelDefinition, from: Sql): Sql;
  /** The values of those parameters, for one run of the statement in `tx`. */
  creationValues(tx: Tx, context: ChangeContext): unknown[];
}
