import {
  type ChangeChecks,
  type ChangeStamp,
  type Database,
  readChangesSince,
  readChangeStamp,
  RecentlyUsed,
  Remembered,
} from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import { Flights } from './flights.js';

/** A part of responses that is the same for many clients. */
export interface PartSource<T> {
  /** Names the part with everything that decides its content besides the tables, for example `users:1:member`. */
  readonly key: string;
  /** Models of the tables that `read` reads; see `watchedTables`. */
  readonly models: readonly number[];
  /** Reads the part from the transaction alone: a cache of the process would be an input whose changes are not checked. */
  read(tx: SqlReader): Promise<Sized<T>>;
}

/** Reads parts in a repeatable read transaction. */
export interface PartReader {
  /** Returns the part exactly as the snapshot of the transaction has it, from memory where nothing has changed. */
  get<T>(source: PartSource<T>): Promise<T>;
  /** Runs `read` once for the transaction, which several registrations may share. Equal keys mean equal reads. */
  once<T>(key: string, read: (tx: SqlReader) => Promise<T>): Promise<T>;
  /** Returns the derived value, cached while its inputs are the same. */
  derive<T>(source: DerivedSource<T>): Promise<T>;
}

/** A value derived from other values only, such as parts. */
export interface DerivedSource<T> {
  readonly key: string;
  /** All inputs of `make`: objects compared by identity, texts by content. */
  readonly inputs: readonly unknown[];
  make(): Sized<T> | Promise<Sized<T>>;
}

/** A value with its size in memory. */
export interface Sized<T> {
  readonly value: T;
  readonly byteLength: number;
}

/** Options of {@link PartMemory}: its database and its limit in bytes. */
export interface PartMemoryOptions {
  readonly database: Pick<Database, 'sharedSnapshot'>;
  readonly checks: Pick<ChangeChecks, 'isCurrent'>;
  readonly limitBytes: number;
  readonly logger: { warn(fields: object, message: string): void };
}

interface Entry extends Sized<unknown> {
  /** Set if the value was read from the database. */
  readonly part?: Remembered<unknown>;
  /** Set if the value is derived: its inputs. */
  readonly inputs?: readonly unknown[];
}

/**
 * Parts of responses in the memory of one process, the least recently used evicted first. Each use checks in the database
 * that nothing that the part was made from has been committed since (docs/adr/0019).
 */
export class PartMemory {
  readonly #entries: RecentlyUsed<string, Entry>;
  readonly #flights = new Flights();
  readonly #readers = new WeakMap<SqlReader, PartReader>();
  #hits = 0;
  #misses = 0;

  constructor(private readonly options: PartMemoryOptions) {
    this.#entries = new RecentlyUsed(options.limitBytes);
  }

  /** Size of the parts in memory, and how often a part was used from memory and read again. */
  get metrics(): { readonly byteLength: number; readonly hits: number; readonly misses: number } {
    return { byteLength: this.#entries.byteLength, hits: this.#hits, misses: this.#misses };
  }

  /** Returns the part with everything that was committed before the call, and reads it once for all calls that wait. */
  async current<T>(source: PartSource<T>): Promise<T> {
    const known = await this.findCurrent(source);
    if (known !== undefined) return known;
    return this.#flights.join(source.key, () => this.options.database.sharedSnapshot((tx) => this.#read(source, tx)));
  }

  /** Returns a part if it is cached and current, for callers that need little of it. */
  async findCurrent<T>(source: PartSource<T>): Promise<T | undefined> {
    const part = this.#find<T>(source.key);
    return part !== undefined && (await this.#isCurrent(part)) ? this.#hit(part) : undefined;
  }

  /** The reader for one repeatable read transaction: the same for all registrations that share it. */
  in(tx: SqlReader): PartReader {
    const known = this.#readers.get(tx);
    if (known !== undefined) return known;
    const reader = this.#readerOf(tx);
    this.#readers.set(tx, reader);
    return reader;
  }

  #readerOf(tx: SqlReader): PartReader {
    const reads = new Map<string, Promise<unknown>>();
    let stamp: Promise<ChangeStamp> | undefined;
    const readIn = async <T>(source: PartSource<T>): Promise<T> => {
      const part = this.#find<T>(source.key);
      if (part !== undefined && part.isExactIn(await readChangesSince(tx, part.verified, part.models))) {
        return this.#hit(part);
      }
      return this.#read(source, tx, (stamp ??= readChangeStamp(tx)));
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
      derive: (source) => once(source.key, () => this.derive(source)),
    };
  }

  /** Returns the derived value, cached while its inputs are the same. */
  async derive<T>({ key, inputs, make }: DerivedSource<T>): Promise<T> {
    const known = this.#entries.use(key);
    if (known?.inputs !== undefined && isSame(known.inputs, inputs)) return known.value as T;
    const { value, byteLength } = await make();
    const texts = inputs.reduce<number>((sum, input) => sum + (typeof input === 'string' ? input.length : 0), 0);
    this.#entries.set(key, { value, byteLength: byteLength + texts, inputs });
    return value;
  }

  #find<T>(key: string): Remembered<T> | undefined {
    return this.#entries.use(key)?.part as Remembered<T> | undefined;
  }

  #hit<T>(part: Remembered<T>): T {
    this.#hits += 1;
    return part.value;
  }

  /**
   * Checks whether a cached part is current. A failing check only costs a read, which reports an unavailable database.
   */
  async #isCurrent(part: Remembered<unknown>): Promise<boolean> {
    try {
      return await this.options.checks.isCurrent(part);
    } catch (err) {
      this.options.logger.warn({ err }, 'change check failed');
      return false;
    }
  }

  async #read<T>(source: PartSource<T>, tx: SqlReader, stamp = readChangeStamp(tx)): Promise<T> {
    this.#misses += 1;
    const taken = await stamp;
    const { value, byteLength } = await source.read(tx);
    this.#store(source.key, new Remembered<unknown>(value, source.models, taken), byteLength);
    return value;
  }

  /** Caches the part, unless a newer one is cached already. */
  #store(key: string, part: Remembered<unknown>, byteLength: number): void {
    if (this.#entries.peek(key)?.part?.isNewerThan(part) === true) return;
    this.#entries.set(key, { value: part.value, byteLength, part });
  }
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
