import type { Database, OpenTx } from '@switchboard/database';
import { declareHeavyDatabaseWork } from '@switchboard/platform';
import { inventoryErrors } from '../../errors.js';
import type { ObjectAccessPolicy, PermissionGrant, InventoryActor } from '../object-access.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { compileFilters, type CompiledListFilters } from '../filter/compile-filters.js';
import { customFieldFilters } from '../filter/custom-field-filter.js';
import type { ListFilter } from '../filter/filter-problem.js';
import type { ResponseFileStore } from '../responses/response-files.js';
import { createResponseTooLargeError, UnstoredResponseError } from '../responses/response-writer.js';
import type { StoredResponse } from '../responses/stored-response.js';
import type { ModelHookServices } from '../model-hook-services.js';
import type { SqlText } from '../sql/json-text-sql.js';
import { SqlParameters } from '../sql/parameterized-statement.js';
import { type ListOrdering, parseListOrdering } from './list-ordering.js';
import { type PagePosition, getPagePosition } from './list-page-position.js';
import { maxRowsForBatchedLoading } from './page-rows-sql.js';
import {
  createMatchingRowCountSql,
  type ListPageStatementSqlParts,
  createCursorReadSql,
} from './list-page-statements.js';
import {
  type RequestedListPage,
  type ListPageCounts,
  createPageLinks,
  type ListPageSizeLimits,
  ListPagingParser,
} from './list-paging.js';
import { isTextTooLongError, joinJsonFragments, FragmentDecryptor } from './decrypt-fragments.js';
import { type JsonFragment, readWithCursor } from './read-with-cursor.js';
import { createStatementScope } from './sql-statement-scope.js';
import { StoredJsonObjectList } from './stored-object-list.js';
import { parseFieldSelection } from './field-selection.js';
import { objectRowAlias, type ObjectJsonSqlCache } from './object-json-sql.js';
import { LargeTableDetector } from './table-sizes.js';
import {
  type ListDatabase,
  type ListPageResultTuple,
  readInSnapshotTransaction,
  readPageInOneStatement,
  readPageInTwoStatements,
} from './read-list-page.js';

/** Offset of a page from which reading it is heavy work, because PostgreSQL also reads all earlier rows. */
const minOffsetOfHeavyRead = 10_000;

/** Length of the SQL of an object's JSON, in characters, from which planning takes longer than another statement. */
const LONG_OBJECT_JSON_SQL_LENGTH = 10_000;

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

const listOrderingByIdOnly: ListOrdering = {
  leading: null,
  joins: [],
  keys: [{ expression: `${objectRowAlias}.id`, descending: false }],
  isOwn: false,
  isByTarget: false,
  targets: null,
};

/** Returns true if reading a list may take long because of large pages, large offsets, and slow filters such as `q`. */
function isHeavyListRead(page: RequestedListPage, filters: CompiledListFilters): boolean {
  return (
    page.limit > maxRowsForBatchedLoading ||
    (page.kind === 'offset' && page.offset >= minOffsetOfHeavyRead) ||
    filters.isHeavy
  );
}

/** Reads pages of the objects of any model. PostgreSQL builds the JSON text, and the service does not parse it. */
export class ListReader {
  readonly #paging: ListPagingParser;
  readonly #tableSizes = new LargeTableDetector();

  constructor(
    private readonly registry: ModelRegistry,
    private readonly shapes: ObjectJsonSqlCache,
    private readonly options: ListPageSizeLimits & {
      readonly services: Pick<ModelHookServices, 'fingerprints' | 'limits'>;
      readonly strictFilters: boolean;
      readonly responses: ResponseFileStore;
      readonly policy: ObjectAccessPolicy;
    },
  ) {
    this.#paging = new ListPagingParser(options);
  }

  /**
   * Reads a page of a list as JSON text: `{count, next, previous, results}`. Returns null if the request is a HEAD
   * request and the JSON does not fit into memory.
   *
   * @throws ApplicationError VALIDATION_FAILED if paging or filters are invalid, or a filter value names no object
   */
  async readPage(database: ListDatabase, request: ListRequest): Promise<string | StoredResponse | null> {
    const { model, query } = request;
    const page = this.#paging.parsePagingParameters(query);
    if (page.limit > maxRowsForBatchedLoading) return this.#readThroughCursor(database, request, page);
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
    page: RequestedListPage,
  ): Promise<string | StoredResponse | null> {
    const writer = this.options.responses.createResponseWriter(request.method === 'HEAD' ? 'none' : 'file');
    try {
      const facts = await this.#readFragments(database, request, page, (pieces) =>
        writer.write(joinJsonFragments(pieces, writer.writtenBytes === 0)),
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
   * @throws ApplicationError VALIDATION_FAILED if a filter is invalid or its value names no object; RESPONSE_TOO_LARGE,
   * RESPONSE_NOT_STORED
   */
  async readAllObjects(
    database: ListDatabase,
    request: ListRequest,
    most: number,
  ): Promise<StoredJsonObjectList | null> {
    const query = new URLSearchParams(request.query);
    for (const name of ['brief', 'fields', 'omit', 'start']) query.delete(name);
    query.set('exclude', 'config_context');
    const page: RequestedListPage = { kind: 'offset', limit: most + 1, offset: 0 };
    const { filterQuery = request.query } = request;
    const writer = this.options.responses.createResponseWriter();
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
  async #readSinglePage(
    database: ListDatabase,
    request: ListRequest,
    page: RequestedListPage,
  ): Promise<ListPageResultTuple | null> {
    const { parts, filters } = await this.#compileListFilters(database, request, page, maxRowsForBatchedLoading);
    const isPlanned = await this.#needsOwnPlan(database, request, filters);
    const isByIds = parts.typed !== null || (isPlanned && parts.shape.length >= LONG_OBJECT_JSON_SQL_LENGTH);
    try {
      const row = await (isByIds ? readPageInTwoStatements : readPageInOneStatement)(database, parts, {
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
    page: RequestedListPage,
    take: (pieces: readonly JsonFragment[]) => Promise<void>,
  ): Promise<ListPageCounts> {
    declareHeavyDatabaseWork();
    const { parts, filters } = await this.#compileListFilters(database, request, page, 0);
    const reading = createCursorReadSql(parts);
    const run = async (tx: OpenTx): Promise<ListPageCounts> => {
      const opener = new FragmentDecryptor(this.shapes, request.model);
      let [rows, lastId]: [number, number | null] = [0, null];
      const { count } = await readWithCursor(tx, reading, async (pieces, { missing }) => {
        if (rows === 0) rejectUnknownFilterValues(filters, missing);
        for (const { id, isFirst } of pieces) {
          if (isFirst) rows += 1;
          lastId = lastId === null ? id : Math.max(lastId, id);
        }
        await take(opener.decryptFragments(pieces));
      });
      await take(opener.decryptLastObject());
      return { count, rows, lastId };
    };
    try {
      // No second attempt: `take` already received pieces, and would receive them again.
      return await readInSnapshotTransaction(database, filters.patterns, run, { attempts: 1 });
    } catch (error) {
      throw isTextTooLongError(error) ? createResponseTooLargeError(this.options.responses.limits.largest) : error;
    }
  }

  /** @param together largest page, in rows, whose related objects are loaded in batches */
  async #compileListFilters(
    database: ListDatabase,
    request: ListRequest,
    page: RequestedListPage,
    together: number,
  ): Promise<{ readonly parts: ListPageStatementSqlParts; readonly filters: CompiledListFilters }> {
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
    { needOwnPlan, conditions }: CompiledListFilters,
  ): Promise<boolean> {
    if (needOwnPlan) return true;
    if (conditions.length === 0 && grant.where === null) return false;
    return this.#tableSizes.isLargeTable(database, model.table);
  }

  #customFieldFilters({ type }: ModelDefinition): readonly ListFilter[] {
    const fields = this.shapes.customFields.getFieldsOfModel(type);
    return fields.length === 0 ? [] : customFieldFilters(fields);
  }

  #pagePartsOf(
    { model, grant, query }: ListRequest,
    {
      page,
      isFromEnd,
      skipsTargets,
      isFar,
      isPage,
    }: PagePosition & { readonly page: RequestedListPage; readonly isPage: boolean },
    filters: CompiledListFilters,
    parameters: SqlParameters,
  ): ListPageStatementSqlParts {
    const visible = grant.where === null ? [] : [grant.where(objectRowAlias, parameters)];
    const conditions = [...visible, ...filters.conditions];
    const from = page.kind === 'cursor' ? [`${objectRowAlias}.id >= ${parameters.add(page.start, 'bigint')}`] : [];
    const selection = parseFieldSelection(query, { brief: true });
    const order: ListOrdering =
      page.kind === 'cursor'
        ? listOrderingByIdOnly
        : parseListOrdering(
            model,
            query.get('ordering'),
            createStatementScope(this.registry, 'o'),
            this.options.services.limits,
            { valuesByName: filters.valuesByName, parameters },
          );
    const wholeIds = grant.where === null ? filters.wholeIds : null;
    const count = createMatchingRowCountSql({ model, conditions, page, wholeIds });
    const shape = isPage
      ? this.shapes.getPageSql(model, selection)
      : this.shapes.getSelectedFieldsSql(model, selection);
    const columns =
      isPage && shape.length >= LONG_OBJECT_JSON_SQL_LENGTH
        ? this.shapes.listReferencedTypeColumns(model, selection)
        : [];
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
      isFar,
      count,
      shape,
      typed: columns.length === 0 ? null : { columns, shapeOf },
      checks: filters.checks.map(({ expression }) => expression),
      longest: this.options.responses.limits.inMemory,
    };
  }
}

/** Returns the start of the JSON text of a list response, before its first object. */
function createListResponseHead(
  { model, query, base }: ListRequest,
  page: RequestedListPage,
  facts: ListPageCounts,
): string {
  const frame = createPageLinks(`${base}/api/${model.path}/?${query.toString()}`, page, facts);
  const links = `"next": ${JSON.stringify(frame.next)}, "previous": ${JSON.stringify(frame.previous)}`;
  return `{"count": ${frame.count}, ${links}, "results": [`;
}

/**
 * Rejects the request if filter values name no object.
 *
 * @param missing results of the checks of filter values; null if there are no checks
 * @throws ApplicationError VALIDATION_FAILED
 */
export function rejectUnknownFilterValues(
  { checks }: Pick<CompiledListFilters, 'checks'>,
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
