import { createHash } from 'node:crypto';
import {
  type CachedDataChangeChecker,
  type DatabaseSnapshotStamp,
  LeastRecentlyUsedCache,
  CachedDatabaseValue,
} from '@switchboard/database';
import type { InventoryActor } from '../engine/object-access.js';
import { CachedResponse } from './cached-response.js';
import type { NewlyBuiltResponse } from './newly-built-response.js';
import { type ReadOnlyResponseDatabase, ReadStatementRecorder } from './record-read-statements.js';
import { StatementTableFinder } from './tables-read-by-statements.js';

/**
 * Everything except stored data that determines a response: URL path, query string, permissions, and scheme and host.
 */
export interface CachedResponseKey {
  /** URL path of the list or object that the client requests. */
  readonly resource: string;
  readonly query: URLSearchParams;
  /** Query string to which the parameters of saved filters are added. Absent if the request names no saved filters. */
  readonly filterQuery?: URLSearchParams | undefined;
  /** Scheme and host of the request, with which URLs in the response begin. */
  readonly base: string;
  readonly strictFilters: boolean;
  readonly actor: InventoryActor;
}

/** Cached definitions of custom fields, on which responses depend. */
interface CachedDefinitions {
  /**
   * Reads the custom field definitions if the cached definitions may be outdated. The returned promise rejects if the
   * read fails.
   */
  waitUntilLoaded(): Promise<void>;
  /**
   * SQL statement that last read the custom field definitions, and a stamp of the database changes from before that
   * read. Each read creates a new object. Null while the definitions may be outdated.
   */
  readonly lastReadState: { readonly stamp: DatabaseSnapshotStamp; readonly statement: string } | null;
  /** Marks the cached custom field definitions as outdated, because another process changed the definitions. */
  invalidateLocally(): void;
}

export interface ResponseCacheOptions {
  readonly database: ReadOnlyResponseDatabase;
  readonly checks: Pick<CachedDataChangeChecker, 'isValueCurrent'>;
  readonly customFields: CachedDefinitions;
  /**
   * Maximum total size, in bytes, of all cached responses and of the cached results of statement analyses. 0 disables
   * the cache.
   */
  readonly limitBytes: number;
  /** Minimum size, in bytes, from which a response is compressed. */
  readonly compressFromBytes: number;
  readonly logger: { warn(fields: object, message: string): void };
}

/**
 * Maximum fraction of the cache's size that one response may use. A longer response would evict many responses that are
 * read more often.
 */
const MAX_RESPONSE_FRACTION = 1 / 8;

/**
 * Fraction of the cache's size that is reserved for results of analyzing SQL statements. For a cache of 64 MB, the
 * fraction is 1 MB, which is enough for about 600 statements.
 */
const STATEMENT_ANALYSES_CACHE_FRACTION = 1 / 64;

/**
 * Memory, in bytes, of a cached response, not counting its key, bytes and models. The value was measured and rounded
 * up.
 */
const CACHE_ENTRY_BYTES = 1000;
/** Memory, in bytes, of each model on which a cached response depends. The value was measured and rounded up. */
const CACHED_RESPONSE_MODEL_BYTES = 40;

interface ResponseCacheEntry {
  readonly response: CachedDatabaseValue<CachedResponse>;
  readonly byteLength: number;
}

/**
 * Cache of the responses to GET requests in one process. Evicts the least recently used responses. Before a response is
 * used, a query checks that the data of the response has not changed (docs/adr/0026).
 */
export class ResponseCache {
  readonly #entries: LeastRecentlyUsedCache<string, ResponseCacheEntry>;
  readonly #rights = new WeakMap<InventoryActor['permissions'], string>();
  readonly #inputs = new WeakMap<object, CachedDatabaseValue<unknown>>();
  readonly #statementBytes: number;
  #sources: Promise<StatementTableFinder> | undefined;
  #statements: StatementTableFinder | undefined;
  #hits = 0;
  #misses = 0;

  constructor(private readonly options: ResponseCacheOptions) {
    this.#statementBytes = Math.floor(options.limitBytes * STATEMENT_ANALYSES_CACHE_FRACTION);
    this.#entries = new LeastRecentlyUsedCache(options.limitBytes - this.#statementBytes);
  }

  /**
   * Size of the cache in bytes, including the results of statement analyses. Also the number of requests served from
   * the cache (`hits`) and the number served from the database (`misses`).
   */
  get metrics(): { readonly byteLength: number; readonly hits: number; readonly misses: number } {
    const byteLength = this.#entries.byteLength + (this.#statements?.byteLength ?? 0);
    return { byteLength, hits: this.#hits, misses: this.#misses };
  }

  /**
   * Returns the cached response for a request, or creates it with `make`. `make` must read only through the database
   * that is passed to it.
   *
   * @throws errors of `make`
   */
  async getOrCreate<B>(
    key: CachedResponseKey,
    make: (database: ReadOnlyResponseDatabase) => Promise<NewlyBuiltResponse<B>>,
  ): Promise<NewlyBuiltResponse<B> | CachedResponse> {
    if (this.options.limitBytes === 0) return make(this.options.database);
    const name = this.#cacheKeyOf(key);
    const kept = await this.find(name);
    if (kept !== undefined) return kept;
    this.#misses += 1;
    return this.#buildResponse(name, make);
  }

  /**
   * Returns the cached response with a {@link CachedResponse.name}. Returns undefined if the response is not cached, or
   * if its data has changed.
   */
  async find(name: string): Promise<CachedResponse | undefined> {
    const entry = this.#entries.getAndMarkRecentlyUsed(name);
    if (entry === undefined) return undefined;
    if (await this.#isCurrent(entry.response)) {
      this.#hits += 1;
      return entry.response.value;
    }
    if (this.#entries.getWithoutMarkingUsed(name) === entry) this.#entries.removeCachedValue(name);
    return undefined;
  }

  async #buildResponse<B>(
    name: string,
    make: (database: ReadOnlyResponseDatabase) => Promise<NewlyBuiltResponse<B>>,
  ): Promise<NewlyBuiltResponse<B> | CachedResponse> {
    const sources = await this.#readSources();
    const input = sources && (await this.#currentDefinitions(sources));
    if (sources === null || input === null) return make(this.options.database);
    // The stamp is from before the first statement of the response; later changes invalidate it.
    const stamp = input.verifiedStamp;
    const reads = new ReadStatementRecorder(this.options.database);
    const made = await make(reads);
    if (typeof made.body !== 'string' || this.#rememberDefinitions(sources) !== input) return made;
    // Compares without encoding the text: a UTF-16 unit takes at least one byte in UTF-8.
    if (made.body.length > this.options.limitBytes * MAX_RESPONSE_FRACTION) return made;
    const models = sources.listModelsReadByStatements(reads.statements);
    if (models === null) return made;
    const { compressFromBytes } = this.options;
    const kept = new CachedResponse(name, { ...made, body: made.body }, compressFromBytes, (grown) =>
      this.#updateSize(grown),
    );
    this.#storeResponse(name, new CachedDatabaseValue(kept, models, stamp, [input]));
    return made;
  }

  #storeResponse(name: string, response: CachedDatabaseValue<CachedResponse>): void {
    const byteLength =
      CACHE_ENTRY_BYTES +
      2 * name.length +
      CACHED_RESPONSE_MODEL_BYTES * response.models.size +
      response.value.byteLength;
    if (byteLength > this.options.limitBytes * MAX_RESPONSE_FRACTION) this.#entries.removeCachedValue(name);
    else this.#entries.setCachedValue(name, { response, byteLength });
  }

  /** Updates the recorded size of a cached response after a compressed copy was added. */
  #updateSize(grown: CachedResponse): void {
    const entry = this.#entries.getWithoutMarkingUsed(grown.name);
    if (entry?.response.value === grown) this.#storeResponse(grown.name, entry.response);
  }

  /**
   * Returns true if the data of a cached value has not changed. Returns false if the check fails. If the database is
   * unavailable, the caller then gets the error when it reads the value again.
   */
  async #isCurrent(value: CachedDatabaseValue<unknown>): Promise<boolean> {
    try {
      return await this.options.checks.isValueCurrent(value);
    } catch (err) {
      this.options.logger.warn({ err }, 'change check failed');
      return false;
    }
  }

  /**
   * Returns the current custom field definitions. Returns null while the service may have missed changes of the
   * definitions.
   */
  async #currentDefinitions(sources: StatementTableFinder): Promise<CachedDatabaseValue<unknown> | null> {
    const { customFields } = this.options;
    await customFields.waitUntilLoaded();
    const known = this.#rememberDefinitions(sources);
    if (known === null) return null;
    // Checked for each response, because the message about a change may arrive after a request that depends on it.
    if (await this.#isCurrent(known)) return known;
    if (this.#rememberDefinitions(sources) === known) customFields.invalidateLocally();
    await customFields.waitUntilLoaded();
    return this.#rememberDefinitions(sources);
  }

  #rememberDefinitions(sources: StatementTableFinder): CachedDatabaseValue<unknown> | null {
    const { lastReadState: loaded } = this.options.customFields;
    if (loaded === null) return null;
    const known = this.#inputs.get(loaded);
    if (known !== undefined) return known;
    const models = sources.listModelsReadByStatements([{ text: loaded.statement, values: [] }]);
    if (models === null) return null;
    const input = new CachedDatabaseValue<unknown>(undefined, models, loaded.stamp);
    this.#inputs.set(loaded, input);
    return input;
  }

  async #readSources(): Promise<StatementTableFinder | null> {
    const reading = (this.#sources ??= StatementTableFinder.readDatabaseTables(
      this.options.database,
      this.#statementBytes,
    ));
    try {
      return (this.#statements = await reading);
    } catch (err) {
      if (this.#sources === reading) this.#sources = undefined;
      this.options.logger.warn(
        { err },
        'tables that statements read could not be determined, responses are not cached',
      );
      return null;
    }
  }

  #cacheKeyOf({ resource, query, filterQuery, base, strictFilters, actor }: CachedResponseKey): string {
    const filters = filterQuery === undefined ? '' : filterQuery.toString();
    return [resource, query.toString(), filters, base, String(strictFilters), this.createPermissionsKey(actor)].join(
      '\n',
    );
  }

  /**
   * Returns a text that identifies the permissions of a user. The text includes the user's id, because permission
   * constraints may contain `$user`.
   */
  createPermissionsKey({ id, kind, isSuperuser, mayWrite, permissions }: InventoryActor): string {
    let digest = this.#rights.get(permissions);
    if (digest === undefined) {
      digest = createHash('sha256').update(JSON.stringify(permissions)).digest('base64url');
      this.#rights.set(permissions, digest);
    }
    return `${id} ${kind} ${isSuperuser} ${mayWrite} ${digest}`;
  }
}
