import { CommitUnknownError, type Database, type Tx } from '@switchboard/database';
import { type DatabaseFaultKind, translateDatabaseError } from '@switchboard/errors';
import { errors } from '../../errors.js';
import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import type { Shapes } from '../read/shapes.js';
import { prepared } from '../sql/statement.js';
import { announceRows } from './announce-rows.js';
import type { ChangeSink, ObjectChange } from './change-sink.js';
import { FileChanges, fileFields } from '../uploads/file-changes.js';
import type { MediaStore } from '../uploads/upload.js';
import { type DeletionPlan, type Emptied, type ModelRows, planDeletion } from './deletion-plan.js';
import { changesSince, loadFollowers } from './followers.js';
import { loadLocked } from './load-locked.js';
import { type LoadedRow, WriteStatements } from './write-sql.js';
import { refuseStale, type WriteRequest } from './writer.js';

/** What the remover works with. */
export interface RemoverOptions {
  readonly database: Database;
  readonly registry: Registry;
  readonly shapes: Shapes;
  readonly changes: ChangeSink;
  /** See `WriterOptions`. */
  readonly onCommitted: (model: ModelDefinition, ids: readonly number[]) => Promise<void>;
  readonly media: MediaStore;
}

/** What comes with a deletion. */
export interface RemovalOptions {
  /** Entity tags of which each object must have one; null for any. */
  readonly ifMatch: readonly string[] | null;
  /** What whoever deletes says about it, by id. */
  readonly messages: ReadonlyMap<number, string>;
}

/** Most blockers that a refusal names in full; the count is always that of all. */
const mostNamed = 1000;

/** Deletes objects of any model with all that follows: cascades, emptied references, blockers. */
export class Remover {
  readonly #statements: WriteStatements;

  constructor(private readonly options: RemoverOptions) {
    this.#statements = new WriteStatements(options.registry, options.shapes);
  }

  /**
   * Deletes objects, all or none. Ids that do not exist or are outside the grant are left out of the answer.
   *
   * @throws AppError PROTECTED naming every blocker over the whole cascade, or PRECONDITION_FAILED
   */
  async remove(
    write: WriteRequest,
    ids: readonly string[],
    { ifMatch, messages }: RemovalOptions,
  ): Promise<readonly number[]> {
    const { database, shapes, media } = this.options;
    const files = new FileChanges(media);
    await shapes.customFields.ready();
    let plan: DeletionPlan | null = null;
    try {
      const removed = await database.inTransaction(async (tx) => {
        files.begin();
        const { model, grant } = write;
        const lookup = { model, ids, grant, withData: true, forDeletion: true };
        const loaded = await loadLocked(tx, this.#statements, lookup);
        const [first] = loaded;
        if (first === undefined) return [];
        if (ifMatch !== null) loaded.forEach((row) => refuseStale(ifMatch, row[3]));
        const own = loaded.map(([id]) => id);
        await announceRows(tx, own.length);
        plan = await planDeletion(tx, this.options.registry, write.model, own);
        await this.#refuseBlocked(tx, plan);
        await this.#carryOut(tx, write, plan, { loaded, messages, files });
        return own;
      });
      await Promise.all([this.#invalidate(plan), files.committed()]);
      return removed;
    } catch (error) {
      if (error instanceof CommitUnknownError) await this.#invalidate(plan);
      else await files.failed();
      throw protectedMeanwhile(error);
    }
  }

  async #invalidate(plan: DeletionPlan | null): Promise<void> {
    const deleted = plan === null ? [] : [...plan.deleted.values()];
    await Promise.all(deleted.map(({ model, ids }) => this.options.onCommitted(model, [...ids])));
  }

  async #refuseBlocked(tx: Tx, { blockers }: DeletionPlan): Promise<void> {
    if (blockers.size === 0) return;
    const names: string[] = [];
    let count = 0;
    for (const { model, ids } of blockers.values()) {
      count += ids.size;
      const { rows } = await tx.query<{ name: string }>(
        `SELECT concat(${model.display('t', this.options.registry)}, ' (', t.id, ')') AS name FROM ${model.table} t WHERE t.id = ANY ($1::bigint[])
          ORDER BY t.id LIMIT ${mostNamed}`,
        [[...ids]],
      );
      names.push(...rows.map(({ name }) => name));
    }
    throw errors.create('PROTECTED', { params: { count, objects: names.join(', ') } });
  }

  /** Empties references, then deletes what refers to others before what it refers to. */
  async #carryOut(
    tx: Tx,
    write: WriteRequest,
    plan: DeletionPlan,
    {
      loaded,
      messages,
      files,
    }: { loaded: readonly LoadedRow[]; messages: ReadonlyMap<number, string>; files: FileChanges },
  ): Promise<void> {
    const changes: ObjectChange[] = [];
    for (const emptied of plan.emptied) changes.push(...(await this.#empty(tx, emptied)));
    const order = [...plan.deleted.values()].toReversed();
    // Objects of two models may refer to each other: the database checks when all of them are gone.
    await tx.query('SET CONSTRAINTS ALL DEFERRED');
    for (const rows of order) {
      const own = rows.model === write.model;
      const deletions = await this.#deletions(tx, rows, own ? loaded : []);
      changes.push(...deletions.map((change) => ({ ...change, message: own ? messages.get(change.id) : undefined })));
    }
    for (const rows of order) await files.forget(rows.model, await this.#delete(tx, rows));
    await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
    const { actor, request } = write;
    this.options.changes.record(tx, changes, { userId: actor.id, username: actor.username, request });
  }

  async #empty(tx: Tx, { reference, ids }: Emptied): Promise<ObjectChange[]> {
    if (ids.size === 0) return [];
    const { model, idColumn, typeColumn, emptiedToo } = reference;
    const own = [...ids];
    const followers = await loadFollowers(tx, this.#statements, model, own);
    const emptied = [idColumn, ...(typeColumn === null ? [] : [typeColumn]), ...emptiedToo];
    const columns = emptied.map((name) => `${name} = NULL`);
    if (model.fields['last_updated'] !== undefined) columns.push('last_updated = clock_timestamp()');
    await tx.query(`UPDATE ${model.table} SET ${columns.join(', ')} WHERE id = ANY ($1::bigint[])`, [own]);
    return changesSince(tx, this.#statements, followers);
  }

  async #deletions(tx: Tx, { model, ids }: ModelRows, known: readonly LoadedRow[]): Promise<ObjectChange[]> {
    if (!model.events && !model.changeLog) return [];
    const seen = new Set(known.map(([id]) => id));
    const others = [...ids].filter((id) => !seen.has(id));
    // The plan has locked them.
    const load = this.#statements.load(model, { condition: null, withData: true });
    const further = others.length === 0 ? [] : (await tx.query<LoadedRow>(prepared(load, ['', others]))).rows;
    const rows = new Map([...further, ...known].map((row) => [row[0], row]));
    return [...ids].flatMap((id) => {
      const row = rows.get(id);
      if (row === undefined) return [];
      const [, , prechange, , data] = row;
      return [{ model, id, event: 'deleted' as const, data: data ?? '{}', prechange, postchange: null }];
    });
  }

  /** Answers what was stored of their files. */
  async #delete(tx: Tx, { model, ids }: ModelRows): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const own = [...ids];
    const tables = model.fields['tags']?.tagTables;
    if (tables !== undefined) {
      await tx.query(`DELETE FROM ${tables.assignments} WHERE object_type = $1 AND object_id = ANY ($2::bigint[])`, [
        model.type,
        own,
      ]);
    }
    const files = ['id', ...fileFields(model)].map((name) => `"${name}"`).join(', ');
    const { rows } = await tx.query<Record<string, unknown>>(
      `DELETE FROM ${model.table} WHERE id = ANY ($1::bigint[]) RETURNING ${files}`,
      [own],
    );
    return rows;
  }
}

const bound = 'one that cannot be without it';
const blockers: Partial<Record<DatabaseFaultKind, string>> = {
  foreign_key: 'one that was added just now',
  unique: bound,
  check: bound,
  not_null: bound,
  exclusion: bound,
};

/**
 * What the database alone finds: a reference that appeared between looking and deleting, or an object that must not be
 * as it would be without what it refers to, such as two of one name in no group.
 */
function protectedMeanwhile(error: unknown): unknown {
  const kind = translateDatabaseError(error)?.kind;
  const objects = kind && blockers[kind];
  return objects ? errors.create('PROTECTED', { params: { count: 1, objects }, cause: error }) : error;
}
