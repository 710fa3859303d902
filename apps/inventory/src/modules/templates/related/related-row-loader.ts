import type { Database } from '@switchboard/database';
import { TemplateRuntimeError } from '@switchboard/templates';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type ObjectAccessPolicy, type InventoryActor, createViewCondition } from '../../../engine/object-access.js';
import type { ModelDefinition } from '../../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../../engine/declaration/model-registry.js';
import { createJoinClause, parseListOrdering, createOrderClause } from '../../../engine/read/list-ordering.js';
import { isTextTooLongError } from '../../../engine/read/decrypt-fragments.js';
import { allFieldsSelection } from '../../../engine/read/object-json-fragments.js';
import { createStatementScope } from '../../../engine/read/sql-statement-scope.js';
import { objectRowAlias, type ObjectJsonSqlCache } from '../../../engine/read/object-json-sql.js';
import type { RequestLimits } from '../../../engine/request-limits.js';
import type { SqlText } from '../../../engine/sql/json-text-sql.js';
import { SqlParameters } from '../../../engine/sql/parameterized-statement.js';
import {
  type RelatedLoadAmounts,
  type RestorableAmounts,
  createLoadLimitError,
  relatedLoadLimits,
  createTooManyRowsError,
} from './related-load-limits.js';
import type { ReverseRelation } from './find-relations.js';

/** JSON of an object that has some or all of its fields. */
export type ObjectJson = Readonly<Record<string, unknown>>;

/** JSON of an object, with the id (`owner`) of another object to which it refers. */
export interface RowWithOwner {
  readonly owner: number;
  readonly json: ObjectJson;
}

/** Services that read related objects for a template, on behalf of one user. */
export interface RelatedRowServices {
  readonly database: Pick<Database, 'inTransaction'>;
  readonly shapes: ObjectJsonSqlCache;
  readonly policy: ObjectAccessPolicy;
  readonly registry: ModelRegistry;
  readonly requestLimits: RequestLimits;
  readonly actor: InventoryActor;
  /** Scheme and host of the request, with which URLs of the loaded objects begin. */
  readonly base: string;
}

/** Number of bytes of JSON that are parsed before the event loop runs other work. */
const jsonBytesParsedBetweenPauses = 1_048_576;

/** Number of visits to loaded objects before the event loop runs other work. */
const objectVisitsBetweenPauses = 2000;

/**
 * Reads rows of the database for a template. Reads only rows that the user may view. All loaders of one rendering share
 * limits on statements, rows, time and bytes of JSON.
 */
export class RelatedRowLoader {
  readonly #used: RelatedLoadAmounts = { rows: 0, statements: 0, ms: 0, bytes: 0, looks: 0 };
  #isReleased = false;

  /** @param left amounts that all loaders of a rendering may still use */
  constructor(
    private readonly services: RelatedRowServices,
    private readonly left: RelatedLoadAmounts,
  ) {}

  /**
   * Adds the amounts that this loader has used back to the limits that all loaders share. For statements, time and
   * visits, adds at most the amounts in `stock`, and subtracts the added amounts from `stock`.
   *
   * @param isFreed true if the loaded objects are no longer in memory
   */
  restoreUsedAmounts(stock: RestorableAmounts, { isFreed }: { readonly isFreed: boolean }): void {
    for (const name of ['rows', 'bytes'] as const) {
      if (isFreed) this.left[name] += this.#used[name];
      this.#used[name] = 0;
    }
    for (const name of ['statements', 'ms', 'looks'] as const) {
      const amount = Math.min(this.#used[name], stock[name]);
      stock[name] -= amount;
      this.left[name] += amount;
      this.#used[name] = 0;
    }
  }

  /** Makes the loader reject all further SQL statements. */
  rejectFurtherStatements(): void {
    this.#isReleased = true;
  }

  #consume(name: keyof RelatedLoadAmounts, amount: number): void {
    this.left[name] -= amount;
    this.#used[name] += amount;
  }

  /**
   * Counts a visit to a loaded object. Returns true if the caller must pause.
   *
   * @throws TemplateLimitError for too many visits
   */
  countObjectVisit(): boolean {
    if (this.left.looks === 0)
      throw createLoadLimitError('steps', `more than ${relatedLoadLimits.looks} looks at related objects`);
    this.#consume('looks', 1);
    return this.left.looks % objectVisitsBetweenPauses === 0;
  }

  /** Reads the given fields of all objects of a model, in the model's default order. */
  async readAllObjects(model: ModelDefinition, fields: readonly string[]): Promise<readonly RowWithOwner[]> {
    return this.#loadRows(createAllRowsSource(model), null, fields);
  }

  /** Reads the given fields of those objects of a model that have the given ids. */
  async readObjectsByIds(
    model: ModelDefinition,
    ids: readonly number[],
    fields: readonly string[],
  ): Promise<readonly RowWithOwner[]> {
    return this.#loadRows(createAllRowsSource(model), ids, fields);
  }

  /**
   * Reads the given fields of the objects that refer to objects with the given ids. Returns the referring objects in
   * the default order of their model.
   */
  async readReferringObjects(
    relation: ReverseRelation,
    ids: readonly number[],
    fields: readonly string[],
  ): Promise<readonly RowWithOwner[]> {
    return this.#loadRows(relation, ids, fields);
  }

  /** Counts the objects that refer to each of the objects with the given ids. */
  async countReferringObjects(relation: ReverseRelation, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const parameters = new SqlParameters();
    const where = this.#whereClauseOf(relation, ids, parameters);
    const text = `SELECT ${relation.owner}, count(*)::int FROM ${relation.from} WHERE ${where} GROUP BY 1`;
    const rows = await this.#runLimitedQuery<[string, number]>(text, parameters);
    return new Map(rows.map(([owner, count]) => [Number(owner), count]));
  }

  async countAllObjects(model: ModelDefinition): Promise<number> {
    const parameters = new SqlParameters();
    const where = this.#whereClauseOf(createAllRowsSource(model), null, parameters);
    const text = `SELECT count(*)::int FROM ${model.table} ${objectRowAlias} WHERE ${where}`;
    const [row] = await this.#runLimitedQuery<[number]>(text, parameters);
    return row?.[0] ?? 0;
  }

  /**
   * Runs another SELECT statement. Each row counts as one loaded object.
   *
   * @param statement returns the statement without LIMIT, made with the condition that the user may view an object
   */
  async runSelect<R>(
    statement: (place: {
      readonly parameters: SqlParameters;
      readonly visible: (type: string, alias: string) => SqlText;
    }) => SqlText,
  ): Promise<readonly R[]> {
    const { policy, actor, registry } = this.services;
    const parameters = new SqlParameters();
    const visible = (type: string, alias: string): SqlText => {
      const model = registry.find(type);
      return model === null ? 'false' : `(${createViewCondition(policy, actor, model, { alias, parameters })})`;
    };
    const { rows: mostRows } = this.left;
    const rows = await this.#runLimitedQuery<R>(
      `${statement({ parameters, visible })} LIMIT ${mostRows + 1}`,
      parameters,
    );
    if (rows.length > mostRows) throw createTooManyRowsError();
    this.#consume('rows', rows.length);
    return rows;
  }

  /**
   * Reads a data file as text; returns null if the file does not exist.
   *
   * @throws TemplateRuntimeError for a file that is not text
   */
  async readDataFileText(sourceId: number, path: string): Promise<string | null> {
    const parameters = new SqlParameters();
    const source = parameters.add(sourceId, 'bigint');
    const own = parameters.add(path, 'text');
    const { bytes } = this.left;
    const [row] = await this.#runLimitedQuery<[string | null, number]>(
      `SELECT CASE WHEN octet_length(data) <= ${bytes} THEN encode(data, 'base64') END, octet_length(data)
        FROM core_datafile WHERE source_id = ${source} AND path = ${own}`,
      parameters,
    );
    if (row === undefined) return null;
    const [content, length] = row;
    if (content === null)
      throw createLoadLimitError('memory', `related objects of more than ${relatedLoadLimits.bytes} bytes`);
    this.#consume('bytes', length);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(content, 'base64'));
    } catch (error) {
      throw new TemplateRuntimeError(`${path} is not text in UTF-8`, { cause: error });
    }
  }

  async #loadRows(
    relation: RelatedRowSource,
    ids: readonly number[] | null,
    fields: readonly string[],
  ): Promise<readonly RowWithOwner[]> {
    const { shapes, registry, requestLimits, base } = this.services;
    const { model, from, owner } = relation;
    await shapes.customFields.waitUntilLoaded();
    const parameters = new SqlParameters();
    const first = parameters.add(base, 'text');
    const where = `${first} IS NOT NULL AND ${this.#whereClauseOf(relation, ids, parameters)}`;
    const { leading, joins, keys } = parseListOrdering(
      model,
      null,
      createStatementScope(registry, 'o'),
      requestLimits,
      { valuesByName: new Map(), parameters: new SqlParameters() },
    );
    const outer = [...(leading?.joins ?? []).map((join) => ({ ...join, isOuter: true })), ...joins];
    const order = createOrderClause([...(leading?.keys ?? []), ...keys]);
    const shape = shapes.getSelectedFieldsSql(model, { ...allFieldsSelection, fields });
    const { rows: mostRows, bytes } = this.left;
    const items = `SELECT ${owner} AS owner, ${shape} AS item FROM ${from}${createJoinClause(outer)} WHERE ${where} ${order} LIMIT ${mostRows + 1}`;
    const rows = await this.#runLimitedQuery<[string, string | null]>(
      `SELECT owner, CASE WHEN size <= ${bytes} THEN item END
        FROM (SELECT owner, item, sum(octet_length(item)) OVER (ROWS UNBOUNDED PRECEDING) AS size FROM (${items}) found) sized`,
      parameters,
    );
    if (rows.length > mostRows) throw createTooManyRowsError();
    this.#consume('rows', rows.length);
    return this.#parseRows(rows);
  }

  async #parseRows(rows: readonly (readonly [string, string | null])[]): Promise<readonly RowWithOwner[]> {
    const parsed: RowWithOwner[] = [];
    let length = 0;
    for (const [owner, item] of rows) {
      if (item === null)
        throw createLoadLimitError('memory', `related objects of more than ${relatedLoadLimits.bytes} bytes`);
      const json: unknown = JSON.parse(item);
      parsed.push({ owner: Number(owner), json: { ...Object(json) } });
      this.#consume('bytes', item.length);
      length += item.length;
      if (length < jsonBytesParsedBetweenPauses) continue;
      length = 0;
      await nextRound();
    }
    return parsed;
  }

  #whereClauseOf(
    { model, owner, condition, viewedOwner }: Omit<RelatedRowSource, 'from'>,
    ids: readonly number[] | null,
    parameters: SqlParameters,
  ): SqlText {
    const { policy, actor } = this.services;
    const conditions = [
      ...(ids === null ? [] : [`${owner} = ANY (${parameters.add(ids, 'bigint[]')})`]),
      ...(condition === null ? [] : [condition]),
      createViewCondition(policy, actor, model, { alias: objectRowAlias, parameters }),
      ...(viewedOwner === undefined
        ? []
        : [createViewCondition(policy, actor, viewedOwner.model, { alias: viewedOwner.alias, parameters })]),
    ];
    return conditions.join(' AND ');
  }

  async #runLimitedQuery<R>(text: SqlText, { values }: SqlParameters): Promise<readonly R[]> {
    if (this.#isReleased) {
      throw new TemplateRuntimeError('Objects of an earlier part of a long list cannot load related objects');
    }
    if (this.left.statements === 0)
      throw createLoadLimitError('statements', `more than ${relatedLoadLimits.statements} statements`);
    this.#consume('statements', 1);
    const { ms } = this.left;
    let startMs = 0;
    try {
      return await this.services.database.inTransaction(
        async (tx) => {
          await tx.query(`SET LOCAL statement_timeout = ${Math.max(1, Math.ceil(ms))}`);
          startMs = performance.now();
          const { rows } = await tx.query<R>({ text, values, rowMode: 'array' });
          this.#consume('ms', performance.now() - startMs);
          return rows;
        },
        { readOnly: true },
      );
    } catch (error) {
      if (isTextTooLongError(error)) throw createLoadLimitError('memory', 'related objects that are too large');
      if (isStatementTimeout(error))
        throw createLoadLimitError('time', `more than ${relatedLoadLimits.ms} ms of statements`);
      throw error;
    }
  }
}

/**
 * Source of rows to read: the model, the SQL tables, and the SQL expression of the id of the object to which a row
 * belongs.
 */
type RelatedRowSource = Pick<ReverseRelation, 'model' | 'from' | 'owner' | 'condition' | 'viewedOwner'>;

/** Returns the source of all rows of a model. Each row belongs to the object that the row stores. */
function createAllRowsSource(model: ModelDefinition): RelatedRowSource {
  return { model, from: `${model.table} ${objectRowAlias}`, owner: `${objectRowAlias}.id`, condition: null };
}

function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014';
}
