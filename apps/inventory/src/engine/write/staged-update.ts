import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import { rowAlias } from '../read/shapes.js';
import type { Sql } from '../sql/pieces.js';
import { contextOf } from './change-sink.js';
import { hiddenChange } from './columns.js';
import { findFollowers, type ModelIds } from './followers.js';
import { jsonInSlices } from './map-in-slices.js';
import type { PreparedRow } from './prepare-rows.js';
import type { WriteItem } from './read-input.js';
import type { CandidateRow } from './rejection.js';
import type { RowWriting } from './row-writing.js';
import { changesTable, inSlices, sliceSize, StagedChanges, type StagedPart } from './staged-changes.js';
import { basePlaceholder, type ObjectSink, type WriteRequest, type WriterOptions } from './write-request.js';
import type { LoadedRow, WriteStatements } from './write-sql.js';

/** Rows of an update in the order of `part` and `place`: those that are written have a `candidate`. */
const rowsTable = 'pg_temp.staged_rows';

const creation: readonly Sql[] = [
  `CREATE TEMP TABLE staged_rows (part integer, place bigint, id bigint, candidate jsonb, hidden boolean, message text,
    prechange text, PRIMARY KEY (part, place)) WITH (toast_tuple_target = 8160) ON COMMIT DROP`,
  // They live for one transaction: to compress them takes longer than to write them.
  `ALTER TABLE ${rowsTable} ALTER COLUMN candidate SET STORAGE EXTERNAL, ALTER COLUMN prechange SET STORAGE EXTERNAL`,
];

/** The part of the rows that the request names; those of followers come behind it. */
const ownPart = 0;

/** Objects that passed all checks, each with its stored and its new row. */
export interface CheckedUpdate {
  readonly items: readonly WriteItem[];
  readonly loaded: readonly LoadedRow[];
  readonly prepared: readonly PreparedRow[];
  readonly candidates: readonly CandidateRow[];
}

/** A row as it is staged. */
interface StagedRow {
  readonly place: number;
  readonly id: number;
  readonly candidate?: CandidateRow;
  readonly hidden: boolean;
  readonly message: string;
}

/**
 * Updates many objects. The rows and the changes live in temporary tables: one statement writes all rows, and further
 * ones read a slice of the objects each, for the response, the change log and the outbox. The last two are written by
 * the last statements of the transaction.
 */
export class StagedUpdate {
  readonly #changes: StagedChanges;

  constructor(
    private readonly options: WriterOptions,
    private readonly statements: WriteStatements,
    private readonly rows: RowWriting,
  ) {
    this.#changes = new StagedChanges(options.registry, options.shapes);
  }

  /** @throws AppError PERMISSION_DENIED when an object would leave the grant, and errors of the response */
  async run(tx: Tx, write: WriteRequest, update: CheckedUpdate, response: ObjectSink): Promise<void> {
    const { model } = write;
    const { items, candidates, loaded, prepared } = update;
    for (const statement of creation) await tx.query(statement);
    await this.#changes.begin(tx);
    await this.#stageOwn(tx, model, update);
    const writes = candidates.map((after, index) => ({ before: loaded[index]?.[1] ?? null, after }));
    await model.hooks.lock?.(tx, writes);
    const followers = await this.#stageFollowers(tx, model, writes);
    await tx.query(`ANALYZE ${rowsTable} (id)`);
    await tx.query(this.statements.updateFrom(model, `(SELECT * FROM ${rowsTable} WHERE part = ${ownPart}) s`));
    const ids = loaded.map(([id]) => id);
    await this.rows.assign(
      tx,
      model,
      ids.map((objectId, index) => ({ objectId, item: items[index] })),
    );
    await this.rows.refuseOutside(tx, write, ids);
    await this.#stageChanges(tx, { model, ids }, ownPart, async (rows, from) => {
      await response.add(
        rows.map(({ id, object, tag }, index) =>
          this.rows.toObject({ id, data: object, entityTag: tag }, write, prepared[from + index]?.reveal ?? {}),
        ),
      );
    });
    for (const [index, each] of followers.entries()) await this.#stageFollowerChanges(tx, each, ownPart + 1 + index);
    await this.#record(tx, write, [{ model, ids }, ...followers]);
  }

  async #stageOwn(tx: Tx, model: ModelDefinition, update: CheckedUpdate): Promise<void> {
    const { items, candidates, loaded, prepared } = update;
    await this.#stageRows(tx, model, ownPart, loaded.length, (index): StagedRow => {
      const [id, stored] = loaded[index] ?? [0, {}];
      return {
        place: index + 1,
        id,
        candidate: candidates[index] ?? {},
        hidden: hiddenChange(model, stored, prepared[index]?.columns ?? {}),
        message: items[index]?.message ?? '',
      };
    });
  }

  /** Locks and stages the objects that change along with the rows. */
  async #stageFollowers(
    tx: Tx,
    model: ModelDefinition,
    writes: Parameters<typeof findFollowers>[2],
  ): Promise<readonly ModelIds[]> {
    const { registry } = this.options;
    const named = await findFollowers(tx, { model, registry }, writes);
    const recorded = named.filter((each) => each.model.events || each.model.changeLog);
    const followers: ModelIds[] = [];
    for (const each of recorded) {
      const lock = this.statements.lock(each.model, { condition: null, forDeletion: false });
      const { rows } = await tx.query<{ id: number }>(lock, ['', each.ids]);
      const ids = rows.map(({ id }) => id);
      const part = ownPart + 1 + followers.length;
      await this.#stageRows(tx, each.model, part, ids.length, (index) => ({
        place: index + 1,
        id: ids[index] ?? 0,
        hidden: false,
        message: '',
      }));
      followers.push({ model: each.model, ids });
    }
    return followers;
  }

  /** Stages rows as they are before the update, in slices. */
  async #stageRows(
    tx: Tx,
    model: ModelDefinition,
    part: number,
    count: number,
    row: (index: number) => StagedRow,
  ): Promise<void> {
    const snapshot = model.events || model.changeLog ? this.options.shapes.snapshot(model) : 'NULL::text';
    const insertion = `INSERT INTO ${rowsTable} (part, place, id, candidate, hidden, message, prechange)
      SELECT $3::integer, g.place, g.id, g.candidate, g.hidden, g.message, ${snapshot}
      FROM jsonb_to_recordset($2::jsonb) AS g(place bigint, id bigint, candidate jsonb, hidden boolean, message text)
        JOIN ${model.table} ${rowAlias} ON ${rowAlias}.id = g.id WHERE $1::text IS NOT NULL`;
    await inSlices(count, sliceSize, async (after, to) => {
      const rows = Array.from({ length: to - after }, (_, index) => row(after + index));
      await tx.query(insertion, ['', await jsonInSlices(rows), part]);
    });
  }

  async #stageChanges(
    tx: Tx,
    { model, ids }: ModelIds,
    part: number,
    take: (rows: Awaited<ReturnType<StagedChanges['stageUpdates']>>, from: number) => Promise<void>,
  ): Promise<void> {
    const from = {
      part,
      place: 's.place',
      source: `${rowsTable} s JOIN ${model.table} ${rowAlias} ON ${rowAlias}.id = s.id
        WHERE s.part = ${part} AND s.place > $2 AND s.place <= $3`,
      prechange: 's.prechange',
      message: 's.message',
      hidden: 's.hidden',
    };
    await inSlices(ids.length, sliceSize, async (after, to) => {
      const given = { base: basePlaceholder, params: [after, to] };
      await take(await this.#changes.stageUpdates(tx, model, from, given), after);
    });
  }

  /** Stages followers that are not as they were before. */
  async #stageFollowerChanges(tx: Tx, { model, ids }: ModelIds, part: number): Promise<void> {
    const source = `${rowsTable} s JOIN ${model.table} ${rowAlias} ON ${rowAlias}.id = s.id
      WHERE s.part = ${part} AND s.place > $2 AND s.place <= $3`;
    await inSlices(ids.length, sliceSize, (after, to) =>
      this.#changes.stage(tx, model, { part, place: 's.place', source, prechange: 's.prechange' }, [after, to]),
    );
  }

  async #record(tx: Tx, write: WriteRequest, changed: readonly ModelIds[]): Promise<void> {
    const { model } = write;
    if (!model.events && !model.changeLog) return;
    await tx.query(`ANALYZE ${changesTable} (part, place, type, id)`);
    const parts: StagedPart[] = changed.map(({ ids }, part) => ({ part, count: ids.length }));
    await this.options.changes.insertStaged(tx, parts, contextOf(write));
  }
}
