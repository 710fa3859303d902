import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import { entityTag, rowAlias, type Shapes } from '../read/shapes.js';
import { sealedPattern, showsSealed, maskedSecret } from '../sealed/sealed-text.js';
import { literal, type Sql } from '../sql/pieces.js';
import { relatedObject, type StagedPart } from './change-sink.js';
import { countNames } from './columns.js';

/**
 * Table of the changes that are written to the change log and outbox at the end of their transaction, ordered by `part`
 * and `place`. `data`, `prechange` and `postchange` are texts as in `ObjectChange`, `related_type` and `related_id`
 * come from `relatedObject`. If `event_postchange` is set, the event shows it instead of `postchange`. A change with
 * `is_further` is logged and has no event.
 */
export const changesTable = 'pg_temp.staged_changes';

/** Number of rows of a part that are read and written at a time. */
export const sliceSize = 500;

const creation: readonly Sql[] = [
  `CREATE TEMP TABLE staged_changes (part integer, place bigint, type text, id bigint, event text, data text,
    prechange text, postchange text, repr text, related_type text, related_id bigint, message text, has_event boolean,
    is_logged boolean, hidden boolean, is_further boolean DEFAULT false, event_postchange text,
    PRIMARY KEY (type, id, is_further))
    WITH (toast_tuple_target = 8160) ON COMMIT DROP`,
  // These rows live for one transaction. Compressing them takes longer than writing them.
  `ALTER TABLE ${changesTable} ALTER COLUMN data SET STORAGE EXTERNAL, ALTER COLUMN prechange SET STORAGE EXTERNAL,
    ALTER COLUMN postchange SET STORAGE EXTERNAL`,
  `CREATE INDEX ON ${changesTable} (part, place)`,
];

const columnNames = [
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

/** Expressions of the columns that differ between changes of one model. */
interface ChangeColumns {
  readonly place: Sql;
  readonly event: 'created' | 'updated' | 'deleted';
  readonly data: Sql;
  readonly prechange: Sql;
  readonly postchange: Sql;
  readonly message: Sql;
  readonly hidden: Sql;
}

/** Columns of a change without an earlier state and a message. */
const noFurther = { prechange: 'NULL::text', message: "''::text", hidden: 'false' } as const;

/**
 * Source of staged changes: tables and condition after `FROM` with the object's row as `t`, and the expression of the
 * place.
 */
export interface StagedSource {
  readonly part: number;
  readonly place: Sql;
  readonly source: Sql;
}

/** Object as its staged change shows it. */
export interface StagedObject {
  readonly id: number;
  /** JSON text. */
  readonly object: string;
  readonly tag: string | null;
}

/** Stages changes of objects in a temporary table, with one statement per slice. */
export class StagedChanges {
  constructor(
    private readonly registry: Registry,
    private readonly shapes: Shapes,
  ) {}

  /** Creates the temporary table. It is dropped when the transaction ends. */
  async begin(tx: Tx): Promise<void> {
    for (const statement of creation) await tx.query(statement);
  }

  /**
   * Stages updates or deletions of objects of one model, in their current state.
   *
   * @param from tables and condition after `FROM`, with the row as `t`. For an update, `from.prechange` is the state
   *  before it. Unchanged objects are left out. A second update of an object keeps the first `prechange` and `place`.
   */
  async stage(
    tx: Tx,
    model: ModelDefinition,
    from: { readonly part: number; readonly place: Sql; readonly source: Sql; readonly prechange: Sql | null },
    params: readonly unknown[],
  ): Promise<void> {
    const isUpdate = from.prechange !== null;
    const columns = this.#columns(model, from.part, {
      place: from.place,
      event: isUpdate ? 'updated' : 'deleted',
      data: this.shapes.full(model),
      prechange: from.prechange ?? this.shapes.snapshot(model),
      postchange: isUpdate ? this.shapes.snapshot(model) : 'NULL::text',
      message: "''::text",
      hidden: 'false',
    });
    await tx.query(
      `WITH made AS MATERIALIZED (SELECT ${columns.join(', ')} FROM ${from.source} AND $1::text IS NOT NULL)
      INSERT INTO ${changesTable} (${columnNames.join(', ')})
      SELECT * FROM made ${isUpdate ? 'WHERE prechange <> postchange' : ''}
      ON CONFLICT (type, id, is_further) DO UPDATE SET data = excluded.data, postchange = excluded.postchange, repr = excluded.repr,
        related_type = excluded.related_type, related_id = excluded.related_id`,
      ['', ...params],
    );
  }

  /**
   * Stages creations or updates of a slice of objects of one model, in their current state. Unchanged objects are
   * included.
   *
   * @param from tables and condition after `FROM`, with the row as `t`. Parameters from `$2` on select the slice.
   * @returns the objects, with URLs that start with `base`
   */
  async stageWritten(
    tx: Tx,
    model: ModelDefinition,
    from: Pick<ChangeColumns, 'place' | 'event' | 'prechange' | 'message' | 'hidden'> & {
      readonly part: number;
      readonly source: Sql;
    },
    { base, params }: { readonly base: string; readonly params: readonly unknown[] },
  ): Promise<StagedObject[]> {
    const full = this.shapes.full(model);
    const object = [`${full} AS object`, `${entityTag(model, rowAlias)} AS tag`];
    const isStaged = model.events || model.changeLog;
    const event = { ...from, data: `''::text`, postchange: this.shapes.snapshot(model) };
    const change = isStaged ? this.#columns(model, from.part, event) : [`${rowAlias}.id`, `${from.place} AS place`];
    const path = "replace(made.object, $1, '')";
    const data = masked(model, from.event === 'created' ? withoutCounts(model, path) : path);
    const staging = `, staged AS (INSERT INTO ${changesTable} (${columnNames.join(', ')})
      SELECT ${columnNames.map((name) => (name === 'data' ? data : `made.${name}`)).join(', ')} FROM made)`;
    const { rows } = await tx.query<StagedObject>(
      `WITH made AS MATERIALIZED (SELECT ${[...object, ...change].join(', ')} FROM ${from.source} AND $1::text IS NOT NULL)
      ${isStaged ? staging : ''} SELECT id, object, tag FROM made ORDER BY place`,
      [base, ...params],
    );
    return rows;
  }

  /** Stages the creations of objects of one model. */
  stageCreated(tx: Tx, model: ModelDefinition, from: StagedSource): Promise<void> {
    return this.#stageNew(tx, model, from, { event: 'created', data: withoutCounts(model, this.shapes.full(model)) });
  }

  /** Stages updates of objects of one model without their state before. */
  stageAdopted(tx: Tx, model: ModelDefinition, from: StagedSource): Promise<void> {
    return this.#stageNew(tx, model, from, { event: 'updated', data: this.shapes.full(model) });
  }

  async #stageNew(
    tx: Tx,
    model: ModelDefinition,
    from: StagedSource,
    { event, data }: Pick<ChangeColumns, 'event' | 'data'>,
  ): Promise<void> {
    const columns = this.#columns(model, from.part, {
      ...noFurther,
      ...from,
      event,
      ...this.#after(model, masked(model, data)),
    });
    await tx.query(
      `INSERT INTO ${changesTable} (${columnNames.join(', ')}) SELECT ${columns.join(', ')} FROM ${from.source} AND $1::text IS NOT NULL`,
      [''],
    );
  }

  /**
   * Stages updates of objects of one model whose earlier changes are already staged. Each update gets its own
   * change-log entry. The event of the earlier change shows the updated object.
   */
  async stageFurtherUpdate(tx: Tx, model: ModelDefinition, from: StagedSource): Promise<void> {
    const data = masked(model, withoutCounts(model, this.shapes.full(model)));
    const columns = this.#columns(model, from.part, {
      ...noFurther,
      ...from,
      event: 'updated',
      ...this.#after(model, data),
    });
    const values = columnNames.map((name) => (name === 'has_event' ? 'false' : `made.${name}`));
    await tx.query(
      `WITH made AS MATERIALIZED (SELECT ${columns.join(', ')} FROM ${from.source} AND $1::text IS NOT NULL),
        shown AS (UPDATE ${changesTable} s SET data = made.data, event_postchange = made.postchange FROM made
          WHERE s.type = made.type AND s.id = made.id AND NOT s.is_further)
      INSERT INTO ${changesTable} (${columnNames.join(', ')}, is_further) SELECT ${values.join(', ')}, true FROM made`,
      [''],
    );
  }

  /** Returns the number of staged changes of a part, and the last place of each slice. */
  async slices(tx: Tx, part: number): Promise<StagedPart> {
    const { rows } = await tx.query<{ place: number; ordinal: number }>(
      `SELECT place, ordinal FROM (
          SELECT place, row_number() OVER (ORDER BY place) AS ordinal, count(*) OVER () AS n FROM ${changesTable} WHERE part = $1
        ) numbered WHERE ordinal % ${sliceSize} = 0 OR ordinal = n ORDER BY ordinal`,
      [part],
    );
    return { part, count: rows.at(-1)?.ordinal ?? 0, ends: rows.map(({ place }) => place) };
  }

  #after(model: ModelDefinition, data: Sql): Pick<ChangeColumns, 'data' | 'postchange'> {
    return { data, postchange: this.shapes.snapshot(model) };
  }

  #columns(model: ModelDefinition, part: number, change: ChangeColumns): Sql[] {
    const related = relatedObject(model, rowAlias);
    const values: Record<(typeof columnNames)[number], Sql> = {
      part: String(part),
      place: change.place,
      type: literal(model.type),
      id: `${rowAlias}.id`,
      event: literal(change.event),
      data: masked(model, change.data),
      prechange: change.prechange,
      postchange: change.postchange,
      repr: `(${model.display(rowAlias, this.registry)})::text`,
      related_type: related?.type ?? 'NULL::text',
      related_id: related?.id ?? 'NULL::bigint',
      message: change.message,
      has_event: String(model.events),
      is_logged: String(model.changeLog),
      hidden: change.hidden,
    };
    return columnNames.map((name) => `${values[name]} AS ${name}`);
  }
}

/** Returns the expression of a new object's text without its counts (docs/contract/inventory.md 5.3). */
export function withoutCounts(model: ModelDefinition, text: Sql): Sql {
  const counts = countNames(model);
  return counts.length === 0 ? text : `(${text}::jsonb - ARRAY[${counts.map(literal).join(', ')}])::text`;
}

/** Returns the expression of an object's text with its secrets masked. */
function masked(model: ModelDefinition, text: Sql): Sql {
  if (!showsSealed(model)) return text;
  return `regexp_replace(${text}, ${literal(sealedPattern)}, '"${maskedSecret}"', 'g')`;
}

/** Calls `run` for each slice of the places from 1 to `count`, in order. A slice includes `to` and excludes `after`. */
export async function inSlices(
  count: number,
  size: number,
  run: (after: number, to: number) => Promise<void>,
): Promise<void> {
  for (let after = 0; after < count; after += size) await run(after, Math.min(count, after + size));
}

/** Calls `run` for each slice of the places of a part, like {@link inSlices}. */
export async function inSlicesOf(
  { count, ends }: StagedPart,
  run: (after: number, to: number) => Promise<void>,
): Promise<void> {
  if (ends === undefined) return inSlices(count, sliceSize, run);
  for (const [index, end] of ends.entries()) await run(ends[index - 1] ?? 0, end);
}
