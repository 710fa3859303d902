import {
  type CachedDataChangeChecker,
  type DatabaseSnapshotStamp,
  type Database,
  readModelsWithChangedRowsSinceSnapshot,
  readCurrentSnapshotStamp,
  LeastRecentlyUsedCache,
  CachedDatabaseValue,
} from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { ConcurrentWorkSharer } from './share-concurrent-reads.js';

/** Description of response data that the cache can share, because the data are equal for many clients. */
export interface SnapshotDataSource<T> {
  /**
   * Key of the data in the cache, for example `users:1:member`. The key contains all values that determine the data,
   * except the content of database tables.
   */
  readonly key: string;
  /** Model numbers of the tables that `read` uses, see `tablesWithChangeTrigger`. */
  readonly models: readonly number[];
  /**
   * Reads the data only from the given transaction. The function must not use other caches, because changes of their
   * data are not checked.
   */
  read(tx: SqlQueryRunner): Promise<ValueWithMemorySize<T>>;
}

/** Reads response data in one repeatable read transaction, from the cache or from the database. */
export interface SnapshotDataReader {
  /**
   * Returns the data of a source as they are in the transaction's database snapshot. Uses the cache if the data have
   * not changed.
   */
  get<T>(source: SnapshotDataSource<T>): Promise<T>;
  /**
   * Runs `read` once for the transaction, which several POST /register requests may share. Calls with equal keys must
   * pass equivalent functions.
   */
  once<T>(key: string, read: (tx: SqlQueryRunner) => Promise<T>): Promise<T>;
  /**
   * Returns a value that is derived from other values. The cache stores the value while its inputs remain unchanged.
   */
  derive<T>(source: DerivedDataSource<T>): Promise<T>;
}

/** Description of a value that is computed only from other values, for example from cached data. */
export interface DerivedDataSource<T> {
  readonly key: string;
  /** All values from which `make` computes its result. The cache compares objects by identity, and texts by content. */
  readonly inputs: readonly unknown[];
  make(): ValueWithMemorySize<T> | Promise<ValueWithMemorySize<T>>;
}

/** A value, and the size in bytes of the memory that the value uses. */
export interface ValueWithMemorySize<T> {
  readonly value: T;
  readonly byteLength: number;
}

/** Options of {@link SnapshotDataCache}: its database and memory limit in bytes. */
export interface SnapshotDataCacheOptions {
  readonly database: Pick<Database, 'sharedSnapshot'>;
  readonly checks: Pick<CachedDataChangeChecker, 'isValueCurrent'>;
  readonly limitBytes: number;
  readonly logger: { warn(fields: object, message: string): void };
}

interface SnapshotDataCacheEntry extends ValueWithMemorySize<unknown> {
  /**
   * Value that was read from the database, with the state of the database in which the value was last verified.
   * Undefined for a derived value.
   */
  readonly part?: CachedDatabaseValue<unknown>;
  /** Values from which this cache entry is derived; undefined if the entry was read from the database. */
  readonly inputs?: readonly unknown[];
}

/**
 * Cache of response data in the memory of one process. The least recently used data are evicted first. Each use checks
 * in the database that no change of the data has been committed since the data were read (docs/adr/0019).
 */
export class SnapshotDataCache {
  readonly #entries: LeastRecentlyUsedCache<string, SnapshotDataCacheEntry>;
  readonly #flights = new ConcurrentWorkSharer();
  /** Derived values whose computation is running, by cache key. */
  readonly #making = new Map<string, { readonly inputs: readonly unknown[]; readonly value: Promise<unknown> }>();
  readonly #readers = new WeakMap<SqlQueryRunner, SnapshotDataReader>();
  #hits = 0;
  #misses = 0;

  constructor(private readonly options: SnapshotDataCacheOptions) {
    this.#entries = new LeastRecentlyUsedCache(options.limitBytes);
  }

  /** Metrics of the cache: its memory use in bytes, and numbers of hits and misses. */
  get metrics(): { readonly byteLength: number; readonly hits: number; readonly misses: number } {
    return { byteLength: this.#entries.byteLength, hits: this.#hits, misses: this.#misses };
  }

  /**
   * Returns the data of a source, including all changes that were committed before the call. Concurrent calls share one
   * read.
   */
  async getCurrentValue<T>(source: SnapshotDataSource<T>): Promise<T> {
    const known = await this.findCurrentCachedValue(source);
    if (known !== undefined) return known;
    return this.#flights.runOrJoinWork(source.key, () =>
      this.options.database.sharedSnapshot((tx) => this.#read(source, tx)),
    );
  }

  /**
   * Returns the cached data of a source if they are up to date, otherwise undefined. Used by callers that need only a
   * small part of the data.
   */
  async findCurrentCachedValue<T>(source: SnapshotDataSource<T>): Promise<T | undefined> {
    const part = this.#find<T>(source.key);
    return part !== undefined && (await this.#isCurrent(part)) ? this.#countHit(part) : undefined;
  }

  /**
   * Returns the reader of snapshot data for a repeatable read transaction. POST /register requests that share the
   * transaction use the same reader.
   */
  createReader(tx: SqlQueryRunner): SnapshotDataReader {
    const known = this.#readers.get(tx);
    if (known !== undefined) return known;
    const reader = this.#readerOf(tx);
    this.#readers.set(tx, reader);
    return reader;
  }

  #readerOf(tx: SqlQueryRunner): SnapshotDataReader {
    const reads = new Map<string, Promise<unknown>>();
    let stamp: Promise<DatabaseSnapshotStamp> | undefined;
    const readIn = async <T>(source: SnapshotDataSource<T>): Promise<T> => {
      const part = this.#find<T>(source.key);
      if (
        part !== undefined &&
        part.isUnchangedInReport(await readModelsWithChangedRowsSinceSnapshot(tx, part.verifiedStamp, part.models))
      ) {
        return this.#countHit(part);
      }
      return this.#read(source, tx, (stamp ??= readCurrentSnapshotStamp(tx)));
    };
    const once = <T>(key: string, read: () => Promise<T>): Promise<T> => {
      const known = reads.get(key) as Promise<T> | undefined;
      const promise = known ?? read();
      reads.set(key, promise);
      return promise;
    };
    return {
      get: (source) => once(source.key, () => readIn(source)),
      once: (key, read) => once(key, () => read(tx)),
      derive: (source) => once(source.key, () => this.getDerivedValue(source)),
    };
  }

  /**
   * Returns a value that is derived from other values, cached while its inputs remain unchanged. Concurrent calls with
   * equal inputs share one computation.
   */
  async getDerivedValue<T>(source: DerivedDataSource<T>): Promise<T> {
    const { key, inputs } = source;
    const known = this.#entries.getAndMarkRecentlyUsed(key);
    if (known?.inputs !== undefined && areDerivationInputsIdentical(known.inputs, inputs)) return known.value as T;
    const running = this.#making.get(key);
    if (running !== undefined && areDerivationInputsIdentical(running.inputs, inputs))
      return (await running.value) as T;
    const making = { inputs, value: this.#deriveValue(source) };
    this.#making.set(key, making);
    try {
      return await making.value;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }

  async #deriveValue<T>({ key, inputs, make }: DerivedDataSource<T>): Promise<T> {
    const { value, byteLength } = await make();
    const texts = inputs.reduce<number>((sum, input) => sum + (typeof input === 'string' ? input.length : 0), 0);
    this.#entries.setCachedValue(key, { value, byteLength: byteLength + texts, inputs });
    return value;
  }

  #find<T>(key: string): CachedDatabaseValue<T> | undefined {
    return this.#entries.getAndMarkRecentlyUsed(key)?.part as CachedDatabaseValue<T> | undefined;
  }

  #countHit<T>(part: CachedDatabaseValue<T>): T {
    this.#hits += 1;
    return part.value;
  }

  /**
   * Returns true if a cached value is up to date. Also returns false if the check fails; reading the value then reports
   * that the database is unavailable.
   */
  async #isCurrent(part: CachedDatabaseValue<unknown>): Promise<boolean> {
    try {
      return await this.options.checks.isValueCurrent(part);
    } catch (err) {
      this.options.logger.warn({ err }, 'change check failed');
      return false;
    }
  }

  async #read<T>(source: SnapshotDataSource<T>, tx: SqlQueryRunner, stamp = readCurrentSnapshotStamp(tx)): Promise<T> {
    this.#misses += 1;
    const taken = await stamp;
    const { value, byteLength } = await source.read(tx);
    this.#store(source.key, new CachedDatabaseValue<unknown>(value, source.models, taken), byteLength);
    return value;
  }

  /** Stores data in the cache, unless the cache already contains newer data. */
  #store(key: string, part: CachedDatabaseValue<unknown>, byteLength: number): void {
    if (this.#entries.getWithoutMarkingUsed(key)?.part?.isNewerThan(part) === true) return;
    this.#entries.setCachedValue(key, { value: part.value, byteLength, part });
  }
}

function areDerivationInputsIdentical(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
