import { CommitUnknownError, type Database, type OpenTx, type Tx } from '@switchboard/database';
import { errors } from '../../errors.js';
import type { AccessPolicy, Grant, InventoryActor } from '../access.js';
import { withCustomFields } from '../custom-fields/custom-field.js';
import type { ModelDefinition, SaveContext } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import { sealFields } from '../sealed/seal-fields.js';
import { showsSealed } from '../sealed/sealed-text.js';
import type { Services } from '../services.js';
import { FileChanges } from '../uploads/file-changes.js';
import type { MediaStore } from '../uploads/upload.js';
import { Parameters, prepared } from '../sql/statement.js';
import { referenceWrittenAsNull } from '../read/representation.js';
import type { Shapes } from '../read/shapes.js';
import { announceRows } from './announce-rows.js';
import { type ChangeSink, contextOf, type ObjectChange, type RequestInfo } from './change-sink.js';
import { columnsOf, hiddenChange, rowOf } from './columns.js';
import { assignRelated, namesRelated } from './related-assignments.js';
import { applyCustomFields, lockSentFields } from './custom-field-values.js';
import { changesSince, type Followers, followersOf } from './followers.js';
import { loadLocked } from './load-locked.js';
import { locateFault } from './locate-fault.js';
import { mergedRow } from './merged-row.js';
import { checkRules } from './rules.js';
import { settlesAfterCreate, unrelatedIn } from './row-values.js';
import { readBody } from './read-body.js';
import { isSound, type WriteItem, type WriteMode } from './read-input.js';
import { type CandidateRow, explainRejection, refusal, type RejectionShape } from './rejection.js';
import { noteMissingIds, resolveRelated } from './resolve-related.js';
import { checkRows } from './row-assignments.js';
import { jsonInSlices, mapInSlices } from './map-in-slices.js';
import { hasStoredParts, storeParts } from './stored-parts.js';
import { assignTags, type TaggedItem } from './tag-assignments.js';
import { checkTagChanges, namesTags } from './tag-changes.js';
import { WorkAhead } from './work-ahead.js';
import { refuseStale } from './refuse-stale.js';
import { type LoadedRow, WriteStatements, type WrittenRow } from './write-sql.js';

/** Placeholder for scheme and host in objects that were just written, until their readers are known. */
const basePlaceholder = `base-${crypto.randomUUID()}:`;

/** Dependencies of the writer. */
export interface WriterOptions {
  readonly database: Database;
  readonly registry: Registry;
  readonly shapes: Shapes;
  readonly policy: AccessPolicy;
  readonly services: Services;
  readonly changes: ChangeSink;
  /** Invalidates what is cached of the objects of a committed write, in every process. Never rejects. */
  readonly onCommitted: (model: ModelDefinition, ids: readonly number[]) => Promise<void>;
  readonly media: MediaStore;
}

/** The user and the model of a write. */
export interface WriteRequest {
  readonly model: ModelDefinition;
  readonly actor: InventoryActor;
  readonly grant: Grant;
  readonly request: RequestInfo;
  /** Scheme and host for the answer. */
  readonly base: string;
}

/** An object after a write, as it is sent. */
export interface WrittenObject {
  readonly id: number;
  /** JSON text. */
  readonly body: string;
  readonly entityTag: string | null;
}

/** Rows in their last state, and what else changed on the way there. */
interface Settled {
  readonly rows: WrittenRow[];
  readonly changes: readonly ObjectChange[];
}

/** One run of a write: what is written, as far as it is known. */
interface Attempt {
  readonly candidates: CandidateRow[];
  readonly items: WriteItem[];
  readonly files: FileChanges;
  readonly ahead: WorkAhead;
}

/** Creates and changes objects of any model, in lists: one object is a list of one. */
export class Writer {
  readonly #statements: WriteStatements;
  /** Models of which a new object may refer to more than was written. */
  readonly #filledByTriggers = new WeakSet<ModelDefinition>();

  constructor(private readonly options: WriterOptions) {
    this.#statements = new WriteStatements(options.registry, options.shapes);
  }

  /**
   * Creates objects, all or none, and answers them in the order given.
   *
   * @param given the bodies, or what makes them in the transaction of the write
   * @throws AppError VALIDATION_FAILED, or PERMISSION_DENIED when an object would be outside the grant
   */
  async create(
    write: WriteRequest,
    given: readonly unknown[] | ((tx: Tx) => Promise<readonly unknown[]>),
    shape: RejectionShape,
  ): Promise<WrittenObject[]> {
    const { model } = write;
    return this.#guarded(model, shape, async (tx, { candidates, items, files, ahead }) => {
      const bodies = typeof given === 'function' ? await given(tx) : given;
      await announceRows(tx, bodies.length);
      items.push(...(await mapInSlices(bodies, (body) => readBody(model, this.options.registry, body, 'create'))));
      const saves = await this.#prepare(
        tx,
        write,
        items,
        items.map(() => null),
        { shape, files, ahead },
      );
      candidates.push(...saves.map(({ columns }) => columns));
      const followers = await this.#followers(tx, model, candidates, []);
      const written = await this.#insert(tx, write, { items, candidates, followers });
      return mapInSlices(written, (row, index) => this.#answer(row, write, saves[index]?.reveal ?? {}));
    });
  }

  /**
   * Changes objects, all or none. Objects that do not exist or are outside the grant are left out of the answer.
   *
   * @param ifMatch entity tags of which each object must have one (docs/contract/inventory.md 1.6, 1.11)
   * @throws AppError VALIDATION_FAILED, PRECONDITION_FAILED, or PERMISSION_DENIED when an object would leave the grant
   */
  async update(
    write: WriteRequest,
    changes: readonly { readonly id: string; readonly body: unknown }[],
    options: { mode: WriteMode; ifMatch: readonly string[] | null; many?: boolean },
  ): Promise<WrittenObject[]> {
    const { model } = write;
    const shape: RejectionShape = { kind: options.many === true ? 'changed list' : 'one' };
    return this.#guarded(model, shape, async (tx, { candidates, items, files, ahead }) => {
      await announceRows(tx, changes.length);
      const { customFields } = this.options.shapes;
      await lockSentFields(
        tx,
        changes.map(({ body }) => body),
        { model, customFields },
      );
      const ids = changes.map(({ id }) => id);
      const { grant } = write;
      const lookup = { model, ids, grant, withData: false, forDeletion: false };
      const loaded = await loadLocked(tx, this.#statements, lookup);
      const { ifMatch } = options;
      if (ifMatch !== null) loaded.forEach((row) => refuseStale(ifMatch, row[3]));
      const bodies = new Map(changes.map(({ id, body }) => [Number(id), body]));
      const read = await mapInSlices(loaded, ([id]) => {
        const item = readBody(model, this.options.registry, bodies.get(id), options.mode);
        item.id = id;
        return item;
      });
      items.push(...read);
      const saves = await this.#prepare(tx, write, items, loaded, { shape, files, ahead });
      candidates.push(...saves.map(({ columns }, index) => ({ ...columns, id: items[index]?.id })));
      if (candidates.length === 0) return [];
      const followers = await this.#followers(tx, model, candidates, loaded);
      const rows = await this.#run<WrittenRow>(tx, this.#statements.update(model), candidates);
      const settled = await this.#settle(tx, model, items, rows, model.settlesAfterUpdate);
      const { rows: written, changes: further } = settled;
      await this.#refuseOutside(tx, write, written);
      const hidden = loaded.map(([, stored], index) => hiddenChange(model, stored, saves[index]?.columns ?? {}));
      await this.#record(tx, write, { items, rows: written, before: loaded, hidden, followers, further });
      return mapInSlices(written, (row, index) => this.#answer(row, write, saves[index]?.reveal ?? {}));
    });
  }

  /** Runs a write in a transaction, and explains what the database refused. */
  async #guarded(
    model: ModelDefinition,
    shape: RejectionShape,
    run: (tx: OpenTx, attempt: Attempt) => Promise<WrittenObject[]>,
  ): Promise<WrittenObject[]> {
    const { database, registry, onCommitted, shapes, media } = this.options;
    const files = new FileChanges(media);
    const ahead = new WorkAhead();
    let attempt: Attempt = { candidates: [], items: [], files, ahead };
    const write = (): Promise<WrittenObject[]> =>
      withCustomFields(shapes.customFields, () =>
        database.inTransaction((tx) => {
          attempt = { candidates: [], items: [], files, ahead };
          files.begin();
          return run(tx, attempt);
        }),
      );
    try {
      const written = await ahead.run(write);
      const ids = written.map(({ id }) => id);
      await Promise.all([onCommitted(model, ids), files.committed()]);
      return written;
    } catch (error) {
      if (error instanceof CommitUnknownError) {
        await onCommitted(
          model,
          attempt.items.flatMap(({ id }) => id ?? []),
        );
        throw error;
      }
      await files.failed();
      const { candidates: rows, items } = attempt;
      const isNew = shape.kind === 'created list';
      const statement = isNew ? this.#statements.insert(model) : this.#statements.update(model);
      const parts = rows.map((row, index) => ({ row, item: items[index] }));
      const locate = (): Promise<number> =>
        locateFault(database, parts, async (tx, some) => {
          const candidates = some.map(({ row }) => row);
          const written = await this.#run<WrittenRow>(tx, statement, candidates);
          await this.#assign(
            tx,
            model,
            written.map(([objectId], index) => ({ objectId, item: some[index]?.item })),
          );
          // What the database checks at the end of a transaction it is to check now.
          await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
        });
      throw await explainRejection(database, error, { model, registry, rows, shape, locate });
    }
  }

  /** From what was read to what is stored: related objects, defaults, rules, hooks. */
  async #prepare(
    tx: Tx,
    { model, actor }: WriteRequest,
    items: readonly WriteItem[],
    before: readonly (LoadedRow | null)[],
    { shape, files, ahead }: Pick<Attempt, 'files' | 'ahead'> & { readonly shape: RejectionShape },
  ): Promise<{ columns: Record<string, unknown>; reveal: Readonly<Record<string, unknown>> }[]> {
    const { registry, policy, services } = this.options;
    const { limits } = services;
    await resolveRelated(tx, items, { registry, policy, actor, limits });
    await checkTagChanges(tx, items, { model, registry });
    await checkRows(tx, items, { model, registry });
    const stored = items.map((_, index) => before[index]?.[1] ?? null);
    const previous = await mapInSlices(stored, (columns) => (columns === null ? null : rowOf(model, columns)));
    const { customFields } = this.options.shapes;
    await applyCustomFields(tx, items, previous, { model, registry, policy, actor, customFields, limits });
    const drafts = await mapInSlices(items, (item, index) => {
      const earlier = previous[index] ?? null;
      return { item, stored: stored[index] ?? null, previous: earlier, row: mergedRow(model, item, earlier) };
    });
    await checkRules(tx, model, { registry, policy, actor, limits }, drafts);
    if (!items.every(isSound)) await noteMissingIds(tx, items, { model, registry });
    const failed = items.flatMap((item, index) => (isSound(item) ? [] : [{ index, problems: item.problems }]));
    if (failed.length > 0) throw refusal(failed, shape);
    const saves = await mapInSlices(drafts, async ({ item, row, stored, previous }, index) => {
      const stores = await files.store(model, row, previous, ahead);
      const own: SaveContext['ahead'] = (key, work) => ahead.take(`${item.id ?? `new ${index}`} ${key}`, work);
      const prepared = await model.hooks.prepare?.(row, { previous, actor, services, ahead: own });
      const sealed = sealFields(model, row, previous, services);
      const columns = { ...stored, ...columnsOf(model, row), ...stores, ...sealed, ...prepared?.columns };
      return { columns, reveal: prepared?.reveal ?? {} };
    });
    ahead.require();
    return saves;
  }

  async #run<R>(tx: Tx, statement: string, rows: readonly CandidateRow[]): Promise<R[]> {
    const answer = await tx.query<R>(prepared(statement, [basePlaceholder, await jsonInSlices(rows)]));
    return answer.rows;
  }

  /** Inserts rows and takes note of them: with one statement that ends the transaction, unless tags come with them. */
  async #insert(
    tx: OpenTx,
    write: WriteRequest,
    given: {
      readonly items: readonly WriteItem[];
      readonly candidates: readonly CandidateRow[];
      readonly followers: readonly Followers[];
    },
  ): Promise<WrittenRow[]> {
    const { model } = write;
    const { items, candidates, followers } = given;
    const inSteps = !model.events || !model.changeLog || showsSealed(model) || write.grant.where !== null;
    const further = (item: WriteItem): boolean =>
      namesTags(item) || namesRelated(model, item) || item.message !== undefined;
    const settles = followers.length > 0 || settlesAfterCreate(model, candidates);
    if (inSteps || settles || hasStoredParts(model) || items.some(further)) {
      const rows = await this.#run<WrittenRow>(tx, this.#statements.insert(model), candidates);
      const { rows: written, changes } = await this.#settle(tx, model, items, rows, settles);
      await this.#refuseOutside(tx, write, written);
      await this.#record(tx, write, { items, rows: written, before: null, followers, further: changes });
      return written;
    }
    const unrelated = this.#filledByTriggers.has(model) ? [] : unrelatedIn(model, candidates);
    const { changes } = this.options;
    const statement = this.#statements.create(model, unrelated, (from) => changes.creationSql(model, from));
    const noted = changes.creationValues(tx, candidates.length, contextOf(write));
    const json = await jsonInSlices(candidates);
    try {
      const { rows } = await tx.finish<WrittenRow>(prepared(statement, [basePlaceholder, json, ...noted]));
      return rows;
    } catch (error) {
      // The transaction runs again by itself, and this time looks everything up.
      if (error instanceof Error && error.message === referenceWrittenAsNull) this.#filledByTriggers.add(model);
      throw error;
    }
  }

  /** Writes tags, and reads the objects again where what was answered is not their last state. */
  async #settle(
    tx: Tx,
    model: ModelDefinition,
    items: readonly WriteItem[],
    rows: WrittenRow[],
    always: boolean,
  ): Promise<Settled> {
    const written = rows.map(([objectId], index) => ({ objectId, item: items[index] }));
    const { touched, changes } = await this.#assign(tx, model, written);
    if (!touched && !always) return { rows, changes };
    const ids = rows.map(([id]) => id);
    const again = await tx.query<WrittenRow>(prepared(this.#statements.reread(model), [basePlaceholder, ids]));
    return { rows: again.rows, changes };
  }

  /** Writes what is kept in other tables. Answers whether there was any of it, and what became of it. */
  async #assign(
    tx: Tx,
    model: ModelDefinition,
    written: readonly TaggedItem[],
  ): Promise<{ readonly touched: boolean; readonly changes: readonly ObjectChange[] }> {
    const { registry } = this.options;
    const tagged = await assignTags(tx, { model, registry }, written);
    const related = await assignRelated(tx, model, written);
    const changes = await storeParts(tx, { model, registry, statements: this.#statements }, written);
    return { touched: tagged || related || changes !== null, changes: changes ?? [] };
  }

  /** Rolls back unless the user may write the rows as they now are (docs/contract/inventory.md 1.3). */
  async #refuseOutside(tx: Tx, { model, grant }: WriteRequest, rows: readonly WrittenRow[]): Promise<void> {
    if (grant.where === null) return;
    const parameters = new Parameters();
    const ids = parameters.add(rows.map(([id]) => id));
    const { rows: inside } = await tx.query<{ n: number }>(
      `SELECT count(*) AS n FROM ${model.table} t WHERE t.id = ANY (${ids}::bigint[]) AND (${grant.where('t', parameters)})`,
      parameters.values,
    );
    if (inside[0]?.n !== rows.length) throw errors.create('PERMISSION_DENIED');
  }

  #followers(
    tx: Tx,
    model: ModelDefinition,
    candidates: readonly CandidateRow[],
    loaded: readonly LoadedRow[],
  ): Promise<readonly Followers[]> {
    const writes = candidates.map((after, index) => ({ before: loaded[index]?.[1] ?? null, after }));
    return followersOf(tx, this.#statements, { model, registry: this.options.registry }, writes);
  }

  async #record(
    tx: Tx,
    write: WriteRequest,
    written: {
      readonly items: readonly WriteItem[];
      readonly rows: readonly WrittenRow[];
      readonly before: readonly LoadedRow[] | null;
      readonly hidden?: readonly boolean[];
      readonly followers: readonly Followers[];
      /** Further changes of the write. */
      readonly further: readonly ObjectChange[];
    },
  ): Promise<void> {
    const { model } = write;
    if (!model.events && !model.changeLog) return;
    const { items, rows, before, hidden, followers, further } = written;
    const own = await mapInSlices(rows, ([id, data, snapshot], index): ObjectChange => ({
      model,
      id,
      event: before === null ? 'created' : 'updated',
      data: data.replaceAll(basePlaceholder, ''),
      prechange: before?.[index]?.[2] ?? null,
      postchange: snapshot,
      hidden: hidden?.[index] ?? false,
      message: items[index]?.message,
    }));
    for (const each of followers) own.push(...(await changesSince(tx, this.#statements, each)));
    this.options.changes.record(tx, [...own, ...further], contextOf(write));
    await this.options.changes.settle(tx);
  }

  #answer(
    [id, data, , entityTag]: WrittenRow,
    { base, model }: WriteRequest,
    reveal: Readonly<Record<string, unknown>>,
  ): WrittenObject {
    const body = this.options.shapes.opened(model, data.replaceAll(basePlaceholder, base));
    if (Object.keys(reveal).length === 0) return { id, body, entityTag };
    const object: unknown = JSON.parse(body);
    return { id, body: JSON.stringify(Object.assign({}, object, reveal)), entityTag };
  }
}
