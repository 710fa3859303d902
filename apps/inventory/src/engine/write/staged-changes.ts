import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import { rowAlias, type Shapes } from '../read/shapes.js';
import { sealedPattern, showsSealed, maskedSecret } from '../sealed/sealed-text.js';
import { literal, type Sql } from '../sql/pieces.js';
import { relatedObject } from './change-sink.js';

/**
 * Changes that wait in the database for the end of their transaction: `part` and `place` are their order, `data`,
 * `prechange` and `postchange` texts as in `ObjectChange`, `related_type` and `related_id` as of `relatedObject`.
 */
export const changesTable = 'pg_temp.staged_changes';

/** Rows of a part are read and written in slices of so many. */
export const sliceSize = 500;

const creation: readonly Sql[] = [
  `CREATE TEMP TABLE staged_changes (part integer, place bigint, type text, id bigint, event text, data text,
    prechange text, postchange text, repr text, related_type text, related_id bigint, message text, has_event boolean,
    is_logged boolean, PRIMARY KEY (type, id)) ON COMMIT DROP`,
  // They live for one transaction: to compress them takes longer than to write them.
  ...['data', 'prechange', 'postchange'].map(
    (column) => `ALTER TABLE ${changesTable} ALTER COLUMN ${column} SET STORAGE EXTERNAL`,
  ),
  `CREATE INDEX ON ${changesTable} (part, place)`,
];

/** A part of the staged changes: rows with a `place` from 1 to `count`, of which some may be absent. */
export interface StagedPart {
  readonly part: number;
  readonly count: number;
}

/** Stages changes of objects in a temporary table, with statements that read and write a slice each. */
export class StagedChanges {
  constructor(
    private readonly registry: Registry,
    private readonly shapes: Shapes,
  ) {}

  /** Creates the temporary table, which goes with the transaction. */
  async begin(tx: Tx): Promise<void> {
    for (const statement of creation) await tx.query(statement);
  }

  /**
   * Stages changes of the objects of one model as they now are.
   *
   * @param from tables and condition after `FROM`, with the row as `t`; `from.prechange` is the state before an update.
   *   Objects that are as they were before are left out. A second update of an object keeps the first state and place.
   */
  async stage(
    tx: Tx,
    model: ModelDefinition,
    from: { readonly part: number; readonly place: Sql; readonly source: Sql; readonly prechange: Sql | null },
    params: readonly unknown[],
  ): Promise<void> {
    const related = relatedObject(model, rowAlias);
    const snapshot = this.shapes.snapshot(model);
    const isUpdate = from.prechange !== null;
    const full = this.shapes.full(model);
    const columns = [
      `${from.part} AS part`,
      `${from.place} AS place`,
      `${literal(model.type)} AS type`,
      `${rowAlias}.id`,
      `${literal(isUpdate ? 'updated' : 'deleted')} AS event`,
      `${showsSealed(model) ? `regexp_replace(${full}, ${literal(sealedPattern)}, '"${maskedSecret}"', 'g')` : full} AS data`,
      `${from.prechange ?? snapshot} AS prechange`,
      `${isUpdate ? snapshot : 'NULL::text'} AS postchange`,
      `(${model.display(rowAlias, this.registry)})::text AS repr`,
      `${related?.type ?? 'NULL::text'} AS related_type`,
      `${related?.id ?? 'NULL::bigint'} AS related_id`,
      `''::text AS message`,
      `${model.events} AS has_event`,
      `${model.changeLog} AS is_logged`,
    ];
    await tx.query(
      `WITH made AS MATERIALIZED (SELECT ${columns.join(', ')} FROM ${from.source} AND $1::text IS NOT NULL)
      INSERT INTO ${changesTable} SELECT * FROM made ${isUpdate ? 'WHERE prechange <> postchange' : ''}
      ON CONFLICT (type, id) DO UPDATE SET data = excluded.data, postchange = excluded.postchange, repr = excluded.repr,
        related_type = excluded.related_type, related_id = excluded.related_id`,
      ['', ...params],
    );
  }
}

/** Runs `run` for each slice of places from 1 to `count`, one after the other. `to` is part of the slice, `after` is not. */
export async function inSlices(
  count: number,
  size: number,
  run: (after: number, to: number) => Promise<void>,
): Promise<void> {
  for (let after = 0; after < count; after += size) await run(after, Math.min(count, after + size));
}
