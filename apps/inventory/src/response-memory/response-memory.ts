import { createHash } from 'node:crypto';
import { type ChangeChecks, type ChangeStamp, RecentlyUsed, Remembered } from '@switchboard/database';
import type { InventoryActor } from '../engine/access.js';
import { KeptResponse } from './kept-response.js';
import type { MadeResponse } from './made-response.js';
import { type ReadDatabase, RecordedReads } from './recorded-reads.js';
import { StatementSources } from './statement-sources.js';

/** All inputs of a response besides the tables. */
export interface ResponseKey {
  /** Path of the resource, with the id of an object. */
  readonly resource: string;
  readonly query: URLSearchParams;
  /** The query with the filters of saved filters, where there are any. */
  readonly filterQuery?: URLSearchParams | undefined;
  /** Scheme and host of the request: responses contain URLs. */
  readonly base: string;
  readonly strictFilters: boolean;
  readonly actor: InventoryActor;
}

/** The definitions of custom fields in the memory of the process, which responses are made with. */
interface MemoryInput {
  /** Resolves when what the cache has is what the database had when the call began, as far as the process knows. */
  ready(): Promise<void>;
  /** The last load, an object for each: its statement, and a stamp from before; null while it may be out of date. */
  readonly loaded: { readonly stamp: ChangeStamp; readonly statement: string } | null;
  /** Drops the content: another process has changed it. */
  forget(): void;
}

/** Options of {@link ResponseMemory}. */
export interface ResponseMemoryOptions {
  readonly database: ReadDatabase;
  readonly checks: Pick<ChangeChecks, 'isCurrent'>;
  readonly customFields: MemoryInput;
  /** Maximum bytes of all cached responses with their statements; 0 disables the cache. */
  readonly limitBytes: number;
  /** Size from which on responses are compressed. */
  readonly compressFromBytes: number;
  readonly logger: { warn(fields: object, message: string): void };
}

/** A response takes at most this share of the memory: a long one would push out many that are read more often. */
const LARGEST_SHARE = 1 / 8;

/** Share of the memory for the models of statements: 1 MB, about 600 statements, of 64 MB. */
const STATEMENTS_SHARE = 1 / 64;

/** Age in milliseconds up to which a check of the caches serves further responses: an older stamp is only more careful. */
const INPUT_CHECK_MS = 100;

/** Bytes that an entry takes besides its key and its forms, and bytes of each of its models: measured, rounded up. */
const ENTRY_BYTES = 1000;
const MODEL_BYTES = 40;

interface Entry {
  readonly response: Remembered<KeptResponse>;
  readonly byteLength: number;
}

/**
 * Responses to reads in the memory of one process, the least recently used evicted first. Each use asks the database
 * whether anything that the response was made from has changed since (docs/adr/0026).
 */
export class ResponseMemory {
  readonly #entries: RecentlyUsed<string, Entry>;
  readonly #rights = new WeakMap<InventoryActor['permissions'], string>();
  readonly #inputs = new WeakMap<object, Remembered<unknown>>();
  readonly #statementBytes: number;
  #sources: Promise<StatementSources> | undefined;
  #statements: StatementSources | undefined;
  #checked: Remembered<unknown> | undefined;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #hits = 0;
  #misses = 0;

  constructor(private readonly options: ResponseMemoryOptions) {
    this.#statementBytes = Math.floor(options.limitBytes * STATEMENTS_SHARE);
    this.#entries = new RecentlyUsed(options.limitBytes - this.#statementBytes);
  }

  /** Size of the responses in memory and of the models of their statements, and how many requests were served from memory and from the database. */
  get metrics(): { readonly byteLength: number; readonly hits: number; readonly misses: number } {
    const byteLength = this.#entries.byteLength + (this.#statements?.byteLength ?? 0);
    return { byteLength, hits: this.#hits, misses: this.#misses };
  }

  /**
   * Returns the cached response, or creates it with the database passed to `make`, which must be used for all reads.
   * @throws errors of `make`
   */
  async get<B>(
    key: ResponseKey,
    make: (database: ReadDatabase) => Promise<MadeResponse<B>>,
  ): Promise<MadeResponse<B> | KeptResponse> {
    if (this.options.limitBytes === 0) return make(this.options.database);
    const name = this.#nameOf(key);
    const kept = await this.find(name);
    if (kept !== undefined) return kept;
    this.#misses += 1;
    return this.#make(name, make);
  }

  /** Returns the response with this {@link KeptResponse.name} if it is in memory and current. */
  async find(name: string): Promise<KeptResponse | undefined> {
    const entry = this.#entries.use(name);
    if (entry === undefined) return undefined;
    if (await this.#isCurrent(entry.response)) {
      this.#hits += 1;
      return entry.response.value;
    }
    this.#checkedMs = Number.NEGATIVE_INFINITY;
    if (this.#entries.peek(name) === entry) this.#entries.remove(name);
    return undefined;
  }

  async #make<B>(
    name: string,
    make: (database: ReadDatabase) => Promise<MadeResponse<B>>,
  ): Promise<MadeResponse<B> | KeptResponse> {
    const sources = await this.#readSources();
    const input = sources && (await this.#currentInput(sources));
    if (sources === null || input === null) return make(this.options.database);
    // Verified before the first statement of the response: the time from which changes count.
    const stamp = input.verified;
    const reads = new RecordedReads(this.options.database);
    const made = await make(reads);
    if (typeof made.body !== 'string' || this.#rememberedInput(sources) !== input) return made;
    // A UTF-16 unit takes at most three bytes and at least one: most long texts need no copy.
    if (made.body.length > this.options.limitBytes * LARGEST_SHARE) return made;
    const models = sources.modelsOf(reads.statements);
    if (models === null) return made;
    const { compressFromBytes } = this.options;
    const kept = new KeptResponse(name, { ...made, body: made.body }, compressFromBytes, (grown) => this.#grow(grown));
    this.#store(name, new Remembered(kept, models, stamp, [input]));
    return made;
  }

  #store(name: string, response: Remembered<KeptResponse>): void {
    const byteLength = ENTRY_BYTES + 2 * name.length + MODEL_BYTES * response.models.size + response.value.byteLength;
    if (byteLength > this.options.limitBytes * LARGEST_SHARE) this.#entries.remove(name);
    else this.#entries.set(name, { response, byteLength });
  }

  /** Counts a compressed form that was added, if the response is still in memory. */
  #grow(grown: KeptResponse): void {
    const entry = this.#entries.peek(grown.name);
    if (entry?.response.value === grown) this.#store(grown.name, entry.response);
  }

  /**
   * Checks whether a cached value is current. A failing check only costs a read, which reports an unavailable database.
   */
  async #isCurrent(value: Remembered<unknown>): Promise<boolean> {
    try {
      return await this.options.checks.isCurrent(value);
    } catch (err) {
      this.options.logger.warn({ err }, 'change check failed');
      return false;
    }
  }

  /** Returns the current definitions for responses; null while updates may be missed. */
  async #currentInput(sources: StatementSources): Promise<Remembered<unknown> | null> {
    const { customFields } = this.options;
    await customFields.ready();
    const known = this.#rememberedInput(sources);
    if (known === null) return null;
    const isRecent = known === this.#checked && performance.now() - this.#checkedMs < INPUT_CHECK_MS;
    if (isRecent) return known;
    if (!(await this.#isCurrent(known))) {
      if (this.#rememberedInput(sources) === known) customFields.forget();
      await customFields.ready();
      return this.#rememberedInput(sources);
    }
    this.#checked = known;
    this.#checkedMs = performance.now();
    return known;
  }

  #rememberedInput(sources: StatementSources): Remembered<unknown> | null {
    const { loaded } = this.options.customFields;
    if (loaded === null) return null;
    const known = this.#inputs.get(loaded);
    if (known !== undefined) return known;
    const models = sources.modelsOf([{ text: loaded.statement, values: [] }]);
    if (models === null) return null;
    const input = new Remembered<unknown>(undefined, models, loaded.stamp);
    this.#inputs.set(loaded, input);
    return input;
  }

  async #readSources(): Promise<StatementSources | null> {
    const reading = (this.#sources ??= StatementSources.read(this.options.database, this.#statementBytes));
    try {
      return (this.#statements = await reading);
    } catch (err) {
      if (this.#sources === reading) this.#sources = undefined;
      this.options.logger.warn(
        { err },
        'tables read by list statements could not be determined, responses are not cached',
      );
      return null;
    }
  }

  #nameOf({ resource, query, filterQuery, base, strictFilters, actor }: ResponseKey): string {
    const filters = filterQuery === undefined ? '' : filterQuery.toString();
    return [resource, query.toString(), filters, base, String(strictFilters), this.rightsOf(actor)].join('\n');
  }

  /** The rights of the actor in exact form: conditions may name the actor by `$user`. */
  rightsOf({ id, kind, isSuperuser, mayWrite, permissions }: InventoryActor): string {
    let digest = this.#rights.get(permissions);
    if (digest === undefined) {
      digest = createHash('sha256').update(JSON.stringify(permissions)).digest('base64url');
      this.#rights.set(permissions, digest);
    }
    return `${id} ${kind} ${isSuperuser} ${mayWrite} ${digest}`;
  }
}
