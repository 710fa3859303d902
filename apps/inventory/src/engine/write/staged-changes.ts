import type { Tx } from '@switchboard/database';
import { areChangesRecorded, type ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import {
  createEntityTagSql,
  objectRowAlias,
  type ObjectJsonSqlCache,
  type RowJsonSqlExpressions,
} from '../read/object-json-sql.js';
import { encryptedTextPattern, canModelReturnEncryptedTexts, maskedSecret } from '../sealed/encrypted-text-sql.js';
import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';
import { createParentObjectSql, type TemporaryTableChangeGroup } from './change-sink.js';
import { listCountFieldNames } from './stored-columns-of-models.js';
import {
  runStatementOnRowBatches,
  selectedRowsFromClauseSql,
  createSelectedRowValueSql,
} from './run-in-row-batches.js';

/**
 * Name of the temporary table that stores changes of objects until the end of the transaction. The changes are then
 * written to the change log and the outbox, ordered by `part` and `place`. The columns `data`, `prechange` and
 * `postchange` are texts as in `ObjectChange`. The columns `related_type` and `related_id` come from
 * {@link createParentObjectSql}. If `event_postchange` is set, the event shows `event_postchange` instead of
 * `postchange`. A change with `is_further` gets a change record but no event.
 */
export const temporaryChangesTableName = 'pg_temp.staged_changes';

/** Number of rows of a temporary table that one SQL statement reads or writes. */
export const temporaryTableRowsPerStatement = 500;

const changesTableCreationSql: readonly SqlText[] = [
  `CREATE TEMP TABLE staged_changes (part integer, place bigint, type text, id bigint, event text, data text,
    prechange text, postchange text, repr text, related_type text, related_id bigint, message text, has_event boolean,
    is_logged boolean, hidden boolean, is_further boolean DEFAULT false, event_postchange text,
    PRIMARY KEY (type, id, is_further))
    WITH (toast_tuple_target = 8160) ON COMMIT DROP`,
  // These rows live for one transaction. Compressing them takes longer than writing them.
  `ALTER TABLE ${temporaryChangesTableName} ALTER COLUMN data SET STORAGE EXTERNAL, ALTER COLUMN prechange SET STORAGE EXTERNAL,
    ALTER COLUMN postchange SET STORAGE EXTERNAL`,
  `CREATE INDEX ON ${temporaryChangesTableName} (part, place)`,
];

const temporaryChangeColumnNames = [
  'part',
  'place',
  'type',
  'id',
  'event',
  'data',
  'prechange',
  'postchange',
  'repr',
  'related_type',
  'related_id',
  'message',
  'has_event',
  'is_logged',
  'hidden',
] as const;

/**
 * SQL expressions of the columns whose values differ between the changes of one model in the temporary table of
 * changes.
 */
interface ObjectChangeColumnsSql {
  readonly place: SqlText;
  readonly event: 'created' | 'updated' | 'deleted';
  readonly data: SqlText;
  readonly prechange: SqlText;
  readonly postchange: SqlText;
  readonly message: SqlText;
  readonly hidden: SqlText;
}

/**
 * SQL that selects objects whose changes are stored in a temporary table. It consists of the FROM and WHERE clauses,
 * with the object's row as `t`, and the expression of the change's place in the order.
 */
export interface ChangedObjectsSelectionSql {
  readonly part: number;
  readonly place: SqlText;
  readonly source: SqlText;
}

/** An object whose change is stored in a temporary table: its id, JSON text and entity tag. */
export interface ChangedObjectInTemporaryTable {
  readonly id: number;
  /** JSON text of the changed object. */
  readonly object: string;
  readonly tag: string | null;
}

/**
 * Stores changes of objects in a temporary table until the end of the transaction. One SQL statement stores the changes
 * of each batch of rows.
 */
export class TemporaryChangeTable {
  constructor(
    private readonly registry: ModelRegistry,
    private readonly shapes: ObjectJsonSqlCache,
  ) {}

  /** Creates the temporary table for changes of objects. PostgreSQL drops the table when the transaction ends. */
  async createChangesTable(tx: Tx): Promise<void> {
    for (const statement of changesTableCreationSql) await tx.query(statement);
  }

  /**
   * Stages updates or deletions of objects of one model, in their current state.
   *
   * @param from tables and condition after `FROM`, with the row as `t`. For an update, `from.prechange` is the state
   *   before the update. Unchanged objects are left out. A second update of an object keeps the first `prechange` and
   *   `place`.
   */
  async storeUpdatesOrDeletions(
    tx: Tx,
    model: ModelDefinition,
    from: {
      readonly part: number;
      readonly place: SqlText;
      readonly source: SqlText;
      readonly prechange: SqlText | null;
    },
    params: readonly unknown[],
  ): Promise<void> {
    const isUpdate = from.prechange !== null;
    const build = ({ full, snapshot }: RowJsonSqlExpressions): SqlText => {
      const columns = this.#changeColumnsSql(model, from.part, {
        place: createSelectedRowValueSql('place'),
        event: isUpdate ? 'updated' : 'deleted',
        data: full,
        prechange: isUpdate ? createSelectedRowValueSql('prechange') : snapshot,
        postchange: isUpdate ? snapshot : 'NULL::text',
        message: "''::text",
        hidden: 'false',
      });
      return `, made AS MATERIALIZED (SELECT ${columns.join(', ')} FROM ${selectedRowsFromClauseSql})
        INSERT INTO ${temporaryChangesTableName} (${temporaryChangeColumnNames.join(', ')})
        SELECT * FROM made ${isUpdate ? 'WHERE prechange <> postchange' : ''}
        ON CONFLICT (type, id, is_further) DO UPDATE SET data = excluded.data, postchange = excluded.postchange, repr = excluded.repr,
          related_type = excluded.related_type, related_id = excluded.related_id`;
    };
    const values = { place: from.place, ...(isUpdate ? { prechange: from.prechange } : {}) };
    await runStatementOnRowBatches(tx, this.shapes, { model, source: from.source, values }, build, ['', ...params]);
  }

  /**
   * Stores creations or updates of objects of one model in the temporary table of changes, with the objects' current
   * state. Includes objects that did not change.
   *
   * @param from tables and condition after `FROM`, with the row as `t`. Parameters from `$2` on select the objects.
   * @returns the objects, with URLs that start with `base`
   */
  async storeWrittenObjectChanges(
    tx: Tx,
    model: ModelDefinition,
    from: Pick<ObjectChangeColumnsSql, 'place' | 'event' | 'prechange' | 'message' | 'hidden'> & {
      readonly part: number;
      readonly source: SqlText;
    },
    { base, params }: { readonly base: string; readonly params: readonly unknown[] },
  ): Promise<ChangedObjectInTemporaryTable[]> {
    const { place, prechange, message, hidden, source } = from;
    const isStaged = areChangesRecorded(model);
    const path = "replace(made.object, $1, '')";
    const data = createMaskedSecretsSql(
      model,
      from.event === 'created' ? createJsonWithoutCountsSql(model, path) : path,
    );
    const build = ({ full, snapshot }: RowJsonSqlExpressions): SqlText => {
      const object = [`${full} AS object`, `${createEntityTagSql(model, objectRowAlias)} AS tag`];
      const change = isStaged
        ? this.#changeColumnsSql(model, from.part, {
            place: createSelectedRowValueSql('place'),
            event: from.event,
            data: `''::text`,
            prechange: createSelectedRowValueSql('prechange'),
            postchange: snapshot,
            message: createSelectedRowValueSql('message'),
            hidden: createSelectedRowValueSql('hidden'),
          })
        : [`${objectRowAlias}.id`, `${createSelectedRowValueSql('place')} AS place`];
      const staging = `, staged AS (INSERT INTO ${temporaryChangesTableName} (${temporaryChangeColumnNames.join(', ')})
        SELECT ${temporaryChangeColumnNames.map((name) => (name === 'data' ? data : `made.${name}`)).join(', ')} FROM made)`;
      return `, made AS MATERIALIZED (SELECT ${[...object, ...change].join(', ')} FROM ${selectedRowsFromClauseSql})
        ${isStaged ? staging : ''} SELECT id, object, tag FROM made ORDER BY place`;
    };
    const slice = { model, source, values: { place, prechange, message, hidden } };
    return runStatementOnRowBatches<ChangedObjectInTemporaryTable>(tx, this.shapes, slice, build, [base, ...params]);
  }

  /**
   * Stores the creations of objects of one model in the temporary table of changes.
   *
   * @param params parameters of `from`, from `$2` on
   */
  storeObjectCreations(
    tx: Tx,
    model: ModelDefinition,
    from: ChangedObjectsSelectionSql,
    params: readonly unknown[] = [],
  ): Promise<void> {
    return this.#stageNew(tx, model, from, 'created', params);
  }

  /**
   * Stores updates of objects of one model in the temporary table of changes. The stored changes do not contain the
   * state of the objects before the update.
   */
  storeUpdatesWithoutPrechange(tx: Tx, model: ModelDefinition, from: ChangedObjectsSelectionSql): Promise<void> {
    return this.#stageNew(tx, model, from, 'updated', []);
  }

  async #stageNew(
    tx: Tx,
    model: ModelDefinition,
    from: ChangedObjectsSelectionSql,
    event: 'created' | 'updated',
    params: readonly unknown[],
  ): Promise<void> {
    const build = ({ full, snapshot }: RowJsonSqlExpressions): SqlText => {
      const data = event === 'created' ? createJsonWithoutCountsSql(model, full) : full;
      const columns = this.#newObjectColumnsSql(model, from.part, { event, data, postchange: snapshot });
      return ` INSERT INTO ${temporaryChangesTableName} (${temporaryChangeColumnNames.join(', ')}) SELECT ${columns.join(', ')} FROM ${selectedRowsFromClauseSql}`;
    };
    await this.#stageByStatement(tx, model, from, build, params);
  }

  /**
   * Stores a second update of objects of one model whose first changes are already in the temporary table of changes.
   * Each update gets a separate change record. The event of the first change shows the object after the second update.
   */
  async storeSecondUpdates(tx: Tx, model: ModelDefinition, from: ChangedObjectsSelectionSql): Promise<void> {
    const values = temporaryChangeColumnNames.map((name) => (name === 'has_event' ? 'false' : `made.${name}`));
    await this.#stageByStatement(tx, model, from, ({ full, snapshot }) => {
      const data = createJsonWithoutCountsSql(model, full);
      const columns = this.#newObjectColumnsSql(model, from.part, { event: 'updated', data, postchange: snapshot });
      return `, made AS MATERIALIZED (SELECT ${columns.join(', ')} FROM ${selectedRowsFromClauseSql}),
        shown AS (UPDATE ${temporaryChangesTableName} s SET data = made.data, event_postchange = made.postchange FROM made
          WHERE s.type = made.type AND s.id = made.id AND NOT s.is_further)
      INSERT INTO ${temporaryChangesTableName} (${temporaryChangeColumnNames.join(', ')}, is_further) SELECT ${values.join(', ')}, true FROM made`;
    });
  }

  /**
   * Returns the number of changes in the temporary table that have the given `part`, and the last `place` of each
   * batch.
   */
  async countChangesOfPart(tx: Tx, part: number): Promise<TemporaryTableChangeGroup> {
    const { rows } = await tx.query<{ place: number; ordinal: number }>(
      `SELECT place, ordinal FROM (
          SELECT place, row_number() OVER (ORDER BY place) AS ordinal, count(*) OVER () AS n FROM ${temporaryChangesTableName} WHERE part = $1
        ) numbered WHERE ordinal % ${temporaryTableRowsPerStatement} = 0 OR ordinal = n ORDER BY ordinal`,
      [part],
    );
    return { part, count: rows.at(-1)?.ordinal ?? 0, ends: rows.map(({ place }) => place) };
  }

  #stageByStatement(
    tx: Tx,
    model: ModelDefinition,
    { place, source }: ChangedObjectsSelectionSql,
    build: (forms: RowJsonSqlExpressions) => SqlText,
    params: readonly unknown[] = [],
  ): Promise<object[]> {
    return runStatementOnRowBatches(tx, this.shapes, { model, source, values: { place } }, build, ['', ...params]);
  }

  #newObjectColumnsSql(
    model: ModelDefinition,
    part: number,
    change: Pick<ObjectChangeColumnsSql, 'event' | 'data' | 'postchange'>,
  ): SqlText[] {
    const unset = { prechange: 'NULL::text', message: "''::text", hidden: 'false' };
    const place = createSelectedRowValueSql('place');
    return this.#changeColumnsSql(model, part, { ...unset, ...change, place });
  }

  #changeColumnsSql(model: ModelDefinition, part: number, change: ObjectChangeColumnsSql): SqlText[] {
    const related = createParentObjectSql(model, objectRowAlias);
    const values: Record<(typeof temporaryChangeColumnNames)[number], SqlText> = {
      part: String(part),
      place: change.place,
      type: quoteSqlLiteral(model.type),
      id: `${objectRowAlias}.id`,
      event: quoteSqlLiteral(change.event),
      data: createMaskedSecretsSql(model, change.data),
      prechange: change.prechange,
      postchange: change.postchange,
      repr: `(${model.display(objectRowAlias, this.registry)})::text`,
      related_type: related?.type ?? 'NULL::text',
      related_id: related?.id ?? 'NULL::bigint',
      message: change.message,
      has_event: String(model.events),
      is_logged: String(model.changeLog),
      hidden: change.hidden,
    };
    return temporaryChangeColumnNames.map((name) => `${values[name]} AS ${name}`);
  }
}

/**
 * Returns the SQL expression of a new object's JSON text without the counts of objects that refer to the new object
 * (docs/contract/inventory.md 5.3).
 */
export function createJsonWithoutCountsSql(model: ModelDefinition, text: SqlText): SqlText {
  const counts = listCountFieldNames(model);
  return counts.length === 0 ? text : `(${text}::jsonb - ARRAY[${counts.map(quoteSqlLiteral).join(', ')}])::text`;
}

/** Returns the SQL expression of an object's JSON text in which secrets are replaced with asterisks. */
function createMaskedSecretsSql(model: ModelDefinition, text: SqlText): SqlText {
  if (!canModelReturnEncryptedTexts(model)) return text;
  return `regexp_replace(${text}, ${quoteSqlLiteral(encryptedTextPattern)}, '"${maskedSecret}"', 'g')`;
}

/**
 * Divides the numbers from 1 to `count` into ranges, and calls `run` for each range in order. `run` receives the bounds
 * of the range: all numbers above `after` and up to `to`.
 */
export async function forEachNumberRange(
  count: number,
  size: number,
  run: (after: number, to: number) => Promise<void>,
): Promise<void> {
  for (let after = 0; after < count; after += size) await run(after, Math.min(count, after + size));
}

/**
 * Calls `run` for each batch of changes in the temporary table that have the same `part`, like
 * {@link forEachNumberRange}.
 */
export async function forEachChangeBatch(
  { count, ends }: TemporaryTableChangeGroup,
  run: (after: number, to: number) => Promise<void>,
): Promise<void> {
  if (ends === undefined) return forEachNumberRange(count, temporaryTableRowsPerStatement, run);
  for (const [index, end] of ends.entries()) await run(ends[index - 1] ?? 0, end);
}
