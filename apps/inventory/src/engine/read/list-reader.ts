import type { Database, OpenTx, TransactionOptions } from '@switchboard/database';
import { declareHeavyDatabaseWork } from '@switchboard/platform';
import { inventoryErrors } from '../../errors.js';
import type { ObjectAccessPolicy, PermissionGrant, InventoryActor } from '../object-access.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { compileFilters, type CompiledFilters } from '../filter/compile-filters.js';
import { customFieldFilters } from '../filter/custom-field-filter.js';
import type { ListFilter } from '../filter/filter-problem.js';
import type { ResponseFileStore } from '../responses/response-files.js';
import { responseTooLargeError, UnstoredResponseError } from '../responses/response-writer.js';
import type { StoredResponse } from '../responses/stored-response.js';
import type { ModelHookServices } from '../model-hook-services.js';
import type { SqlText } from '../sql/json-text-sql.js';
import { SqlParameters, createReplannedQuery, createPreparedQuery } from '../sql/parameterized-statement.js';
import { inTransactionWithPatternTimeout, queryWithPatternTimeout } from './query-with-pattern-timeout.js';
import { type ListOrdering, parseListOrdering } from './list-ordering.js';
import { type PagePosition, getPagePosition } from './list-page-position.js';
import { maxBatchedRows } from './page-rows-sql.js';
import {
  matchingRowCountSql,
  selectPageIdsStatement,
  type PageStatementParts,
  readPageStatement,
  createCursorReadSql,
  selectRowsByIdStatement,
} from './list-page-statements.js';
import { type PageRequest, type PageCounts, createPageLinks, type PageLimits, ListPaging } from './list-paging.js';
import { isTextTooLongError, joinJsonFragments, FragmentDecryptor } from './decrypt-fragments.js';
import { type JsonFragment, readWithCursor } from './read-with-cursor.js';
import { createStatementScope } from './sql-statement-scope.js';
import { StoredJsonObjectList } from './stored-object-list.js';
import { parseFieldSelection } from './field-selection.js';
import { objectRowAlias, type ObjectJsonShapes } from './object-json-sql.js';
import { TableSizes } from './table-sizes.js';

/** Offset of a page from which reading it is heavy work, because PostgreSQL also reads all earlier rows. */
const heavyReadOffset = 10_000;

/** Length of the SQL of an object's JSON, in characters, from which planning takes longer than another statement. */
const LONG_JSON_SHAPE_CHARACTERS = 10_000;

/** Parsed request of a list of objects. */
export interface ListRequest {
  readonly model: ModelDefinition;
  readonly grant: PermissionGrant;
  readonly actor: InventoryActor;
  readonly query: URLSearchParams;
  /** Query string to which the parameters of saved filters are added. When absent, the list is filtered by `query`. */
  readonly filterQuery?: URLSearchParams;
  /** Scheme and host of the request, with which the URLs in the response begin. */
  readonly base: string;
  /** True to reject unknown filters instead of ignoring them. */
  readonly strictFilters: boolean;
  /** HTTP method of the request. For `HEAD`, reading the list stops when its JSON no longer fits into memory. */
  readonly method?: string;
}

const orderByIdOnly: ListOrdering = {
  leading: null,
  joins: [],
  keys: [{ expression: `${objectRowAlias}.id`, descending: false }],
  isOwn: false,
  isByTarget: false,
  targets: null,
};

type ReadRowsTuple = [results: string | null, rows: number, lastId: number | null];
type SelectedIdsResult = [count: number, ids: readonly unknown[], missing: string[] | null, types: string[] | null];
type PageRow = [count: number, ...ReadRowsTuple, missing: string[] | null];

/** Returns true if reading a list may take long because of large pages, large offsets, and slow filters such as `q`. */
function isHeavyListRead(page: PageRequest, filters: CompiledFilters): boolean {
  return page.limit > maxBatchedRows || (page.kind === 'offset' && page.offset >= heavyReadOffset) || filters.isHeavy;
}

/** Reads pages of the objects of any model. PostgreSQL builds the JSON text, and the service does not parse it. */
export class ListReader {
  readonly #paging: ListPaging;
  readonly #tableSizes = new TableSizes();

  constructor(
    private readonly registry: ModelRegistry,
    private readonly shapes: ObjectJsonShapes,
    private readonly options: PageLimits & {
      readonly services: Pick<ModelHookServices, 'fingerprints' | 'limits'>;
      readonly strictFilters: boolean;
      readonly responses: ResponseFileStore;
      readonly policy: ObjectAccessPolicy;
    },
  ) {
    this.#paging = new ListPaging(options);
  }

  /**
   * Reads a page of a list as JSON text: `{count, next, previous, results}`. Returns null if the request is a HEAD
   * request and the JSON does not fit into memory.
   *
   * @throws AppError VALIDATION_FAILED if paging or filters are invalid, or a filter value names no object
   */
  async read(database: ListDatabase, request: ListRequest): Promise<string | StoredResponse | null> {
    const { model, query } = request;
    const page = this.#paging.read(query);
    if (page.limit > maxBatchedRows) return this.#readThroughCursor(database, request, page);
    const row = await this.#readSinglePage(database, request, page);
    if (row === null) return this.#readThroughCursor(database, request, page);
    const [count, results, rowCount, lastId] = row;
    const facts = { count: Number(count), rows: Number(rowCount), lastId: lastId === null ? null : Number(lastId) };
    return `${createListResponseHead(request, page, facts)}${this.shapes.decryptJson(model, results ?? '')}]}`;
  }

  /**
   * Reads a page of any size through a database cursor. A small response is built in memory, a large response in a
   * file.
   */
  async #readThroughCursor(
    database: ListDatabase,
    request: ListRequest,
    page: PageRequest,
  ): Promise<string | StoredResponse | null> {
    const writer = this.options.responses.beginResponse(request.method === 'HEAD' ? 'none' : 'file');
    try {
      const facts = await this.#readFragments(database, request, page, (pieces) =>
        writer.write(joinJsonFragments(pieces, writer.size === 0)),
      );
      return await writer.finish({ head: createListResponseHead(request, page, facts), tail: ']}' });
    } catch (error) {
      await writer.discard();
      if (error instanceof UnstoredResponseError) return null;
      throw error;
    }
  }

  /**
   * Reads all objects of the list with all fields except config contexts, which take long to compute and are useless in
   * an export. Returns null if there are more than `most`.
   *
   * @returns objects that the caller must close
   * @throws AppError VALIDATION_FAILED if a filter is invalid or its value names no object; RESPONSE_TOO_LARGE,
   * RESPONSE_NOT_STORED
   */
  async readObjects(database: ListDatabase, request: ListRequest, most: number): Promise<StoredJsonObjectList | null> {
    const query = new URLSearchParams(request.query);
    for (const name of ['brief', 'fields', 'omit', 'start']) query.delete(name);
    query.set('exclude', 'config_context');
    const page: PageRequest = { kind: 'offset', limit: most + 1, offset: 0 };
    const { filterQuery = request.query } = request;
    const writer = this.options.responses.beginResponse();
    try {
      const lengths: number[] = [];
      await this.#readFragments(database, { ...request, query, filterQuery }, page, async (pieces) => {
        const parts = pieces.map(({ content }) => Buffer.from(content));
        for (const [index, { length }] of parts.entries()) {
          if (pieces[index]?.isFirst === true) lengths.push(length);
          else lengths.push((lengths.pop() ?? 0) + length);
        }
        await writer.write(Buffer.concat(parts));
      });
      if (lengths.length <= most) return new StoredJsonObjectList(await writer.finishAsBytes(), lengths);
      await writer.discard();
      return null;
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }

  /** Reads a page in one or two statements. Returns null if the page's objects are too large for this. */
  async #readSinglePage(database: ListDatabase, request: ListRequest, page: PageRequest): Promise<PageRow | null> {
    const { parts, filters } = await this.#compileListFilters(database, request, page, maxBatchedRows);
    const isPlanned = await this.#needsOwnPlan(database, request, filters);
    const isByIds = parts.typed !== null || (isPlanned && parts.shape.length >= LONG_JSON_SHAPE_CHARACTERS);
    try {
      const row = await (isByIds ? readInTwoStatements : readInOneStatement)(database, parts, {
        isPlanned,
        patterns: filters.patterns,
      });
      rejectUnknownFilterValues(filters, row[4]);
      return row[1] === null && Number(row[2]) > 0 ? null : row;
    } catch (error) {
      if (isTextTooLongError(error)) return null;
      throw error;
    }
  }

  /** Reads the objects of a page through a database cursor, and passes fragments of their JSON text to a function. */
  async #readFragments(
    database: ListDatabase,
    request: ListRequest,
    page: PageRequest,
    take: (pieces: readonly JsonFragment[]) => Promise<void>,
  ): Promise<PageCounts> {
    declareHeavyDatabaseWork();
    const { parts, filters } = await this.#compileListFilters(database, request, page, 0);
    const reading = createCursorReadSql(parts);
    const run = async (tx: OpenTx): Promise<PageCounts> => {
      const opener = new FragmentDecryptor(this.shapes, request.model);
      let [rows, lastId]: [number, number | null] = [0, null];
      const { count } = await readWithCursor(tx, reading, async (pieces, { missing }) => {
        if (rows === 0) rejectUnknownFilterValues(filters, missing);
        for (const { id, isFirst } of pieces) {
          if (isFirst) rows += 1;
          lastId = lastId === null ? id : Math.max(lastId, id);
        }
        await take(opener.decrypt(pieces));
      });
      await take(opener.finish());
      return { count, rows, lastId };
    };
    try {
      // No second attempt: `take` already received pieces, and would receive them again.
      return await readInSnapshot(database, filters.patterns, run, { attempts: 1 });
    } catch (error) {
      throw isTextTooLongError(error) ? responseTooLargeError(this.options.responses.limits.largest) : error;
    }
  }

  /** @param together largest page, in rows, whose related objects are loaded in batches */
  async #compileListFilters(
    database: ListDatabase,
    request: ListRequest,
    page: PageRequest,
    together: number,
  ): Promise<{ readonly parts: PageStatementParts; readonly filters: CompiledFilters }> {
    const { model, query, filterQuery = query, base, strictFilters } = request;
    await this.shapes.customFields.waitUntilLoaded();
    const parameters = new SqlParameters();
    parameters.add(base);
    const filters = compileFilters(model, this.registry, filterQuery, parameters, {
      alias: objectRowAlias,
      actor: request.actor,
      policy: this.options.policy,
      strict: strictFilters || this.options.strictFilters,
      services: this.options.services,
      further: model.fields['custom_fields'] === undefined ? [] : this.#customFieldFilters(model),
    });
    if (isHeavyListRead(page, filters)) declareHeavyDatabaseWork();
    const position = await getPagePosition(database, request, page, filters);
    const isPage = page.limit <= together;
    const parts = this.#pagePartsOf(request, { page, ...position, isPage }, filters, parameters);
    if (parts.order.joins.some((join) => join.computedId !== undefined)) declareHeavyDatabaseWork();
    return { parts, filters };
  }

  /**
   * Returns true if PostgreSQL must plan the statement for its parameter values. A generic plan assumes that filter
   * values are common. For a rare value, a generic plan can take seconds: it scans a large table in list order, and few
   * rows match.
   */
  async #needsOwnPlan(
    database: Pick<Database, 'query'>,
    { model, grant }: ListRequest,
    { needOwnPlan, conditions }: CompiledFilters,
  ): Promise<boolean> {
    if (needOwnPlan) return true;
    if (conditions.length === 0 && grant.where === null) return false;
    return this.#tableSizes.isLarge(database, model.table);
  }

  #customFieldFilters({ type }: ModelDefinition): readonly ListFilter[] {
    const fields = this.shapes.customFields.getFieldsOfModel(type);
    return fields.length === 0 ? [] : customFieldFilters(fields);
  }

  #pagePartsOf(
    { model, grant, query }: ListRequest,
    { page, isFromEnd, skipsTargets, isPage }: PagePosition & { readonly page: PageRequest; readonly isPage: boolean },
    filters: CompiledFilters,
    parameters: SqlParameters,
  ): PageStatementParts {
    const visible = grant.where === null ? [] : [grant.where(objectRowAlias, parameters)];
    const conditions = [...visible, ...filters.conditions];
    const from = page.kind === 'cursor' ? [`${objectRowAlias}.id >= ${parameters.add(page.start, 'bigint')}`] : [];
    const selection = parseFieldSelection(query, { brief: true });
    const order: ListOrdering =
      page.kind === 'cursor'
        ? orderByIdOnly
        : parseListOrdering(
            model,
            query.get('ordering'),
            createStatementScope(this.registry, 'o'),
            this.options.services.limits,
          );
    const wholeIds = grant.where === null ? filters.wholeIds : null;
    const count = matchingRowCountSql({ model, conditions, page, wholeIds });
    const shape = isPage
      ? this.shapes.getPageSql(model, selection)
      : this.shapes.getSelectedFieldsSql(model, selection);
    const columns =
      isPage && shape.length >= LONG_JSON_SHAPE_CHARACTERS ? this.shapes.listTypeColumns(model, selection) : [];
    const shapeOf = (types: readonly string[]): SqlText => this.shapes.getPageSqlWithTypes(model, selection, types);
    return {
      model,
      conditions: [...conditions, ...from],
      tables: filters.tables,
      wholeIds,
      order,
      page,
      parameters,
      fromEnd: isFromEnd ? count : null,
      skipsTargets,
      count,
      shape,
      typed: columns.length === 0 ? null : { columns, shapeOf },
      checks: filters.checks.map(({ expression }) => expression),
      longest: this.options.responses.limits.inMemory,
    };
  }
}

/** Options of the SQL statements that read a page of a list. */
interface PageReadOptions {
  readonly isPlanned: boolean;
  /** Names of query parameters that are regular expressions, for which the statements get a timeout. */
  readonly patterns: readonly string[];
}

type ListDatabase = Pick<Database, 'query' | 'inTransaction'>;

/** Reads the objects of a page in one statement. */
async function readInOneStatement(
  database: ListDatabase,
  parts: PageStatementParts,
  { isPlanned, patterns }: PageReadOptions,
): Promise<PageRow> {
  const createQuery = isPlanned ? createReplannedQuery : createPreparedQuery;
  const requested = createQuery(readPageStatement(parts), parts.parameters.values);
  const rows =
    patterns.length === 0
      ? (await database.query<PageRow>(requested)).rows
      : await queryWithPatternTimeout<PageRow>(database, requested, { parameters: patterns });
  return rows[0] ?? [0, null, 0, null, null];
}

/**
 * Reads a page in two statements of one snapshot. The first selects the ids. The second contains the long SQL of the
 * objects' JSON; its plan does not depend on parameter values and is cached. If the SQL depends on the types of related
 * objects, it contains only the types on this page and is planned each time.
 */
async function readInTwoStatements(
  database: ListDatabase,
  parts: PageStatementParts,
  { isPlanned, patterns }: PageReadOptions,
): Promise<PageRow> {
  const { parameters, typed } = parts;
  const { values } = parameters;
  const choosing = (isPlanned ? createReplannedQuery : createPreparedQuery)(selectPageIdsStatement(parts), values);
  const run = async (tx: OpenTx): Promise<PageRow> => {
    const [chosen] = (await tx.query<SelectedIdsResult>(choosing)).rows;
    if (chosen === undefined || chosen[1].length === 0) return [chosen?.[0] ?? 0, null, 0, null, chosen?.[2] ?? null];
    const reading =
      typed === null
        ? createPreparedQuery(selectRowsByIdStatement(parts), [values[0], chosen[1]])
        : createReplannedQuery(selectRowsByIdStatement({ ...parts, shape: typed.shapeOf(chosen[3] ?? []) }), [
            values[0],
            chosen[1],
          ]);
    const [read] = (await tx.finish<ReadRowsTuple>(reading)).rows;
    return [chosen[0], ...(read ?? [null, 0, null]), chosen[2]];
  };
  return readInSnapshot(database, patterns, run);
}

function readInSnapshot<T>(
  database: ListDatabase,
  patterns: readonly string[],
  run: (tx: OpenTx) => Promise<T>,
  options: Pick<TransactionOptions, 'attempts'> = {},
): Promise<T> {
  const snapshot = { isolation: 'repeatable read', readOnly: true, ...options } as const;
  if (patterns.length === 0) return database.inTransaction(run, snapshot);
  return inTransactionWithPatternTimeout(database, { parameters: patterns }, run, snapshot);
}

/** Returns the start of the JSON text of a list response, before its first object. */
function createListResponseHead({ model, query, base }: ListRequest, page: PageRequest, facts: PageCounts): string {
  const frame = createPageLinks(`${base}/api/${model.path}/?${query.toString()}`, page, facts);
  const links = `"next": ${JSON.stringify(frame.next)}, "previous": ${JSON.stringify(frame.previous)}`;
  return `{"count": ${frame.count}, ${links}, "results": [`;
}

/**
 * Rejects the request if filter values name no object.
 *
 * @param missing results of the checks of filter values; null if there are no checks
 * @throws AppError VALIDATION_FAILED
 */
export function rejectUnknownFilterValues(
  { checks }: Pick<CompiledFilters, 'checks'>,
  missing: readonly string[] | null,
): void {
  const problems: Record<string, string[]> = {};
  for (const [index, { parameter, messages }] of checks.entries()) {
    const places: unknown = JSON.parse(missing?.[index] ?? '[]');
    if (!Array.isArray(places) || places.length === 0) continue;
    problems[parameter] = [...(problems[parameter] ?? []), ...places.map((place) => messages[Number(place) - 1] ?? '')];
  }
  if (Object.keys(problems).length > 0)
    throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: problems } });
}
