import { createHash, type Hash } from 'node:crypto';
import type { DataSourceSyncLimits } from '../data-source-settings.js';
import { SyncError } from '../data-source-sync-error.js';
import { applyGitDelta, parseGitDeltaHeader } from './apply-git-delta.js';
import {
  readGitPackEntryCount,
  decompressGitPackEntry,
  createMalformedPackError,
  type GitObjectType,
  type GitPackEntryHeader,
  parseGitPackEntryHeader,
} from './git-pack-entries.js';

/** A git object: a commit, a tree, a file (blob) or a tag. */
export interface GitObject {
  readonly kind: GitObjectType;
  readonly content: Buffer;
}

/**
 * Maximum number of deltas that may have to be applied one after another to read a git object. Git itself creates at
 * most 250.
 */
const maxDeltaChainLength = 300;

/** Maximum total size in bytes of cached git objects that are the bases of deltas. */
const maxCachedGitObjectBytes = 16 * 1024 * 1024;

/**
 * Objects of a git pack by id. Objects are decompressed when they are read. A pack from a hostile server can make the
 * process decompress at most about ten times the size limit of all files. The process retains only a few files in
 * memory.
 */
export class GitPackObjects {
  readonly #pack: Buffer;
  readonly #limits: DataSourceSyncLimits;
  readonly #signal: AbortSignal;
  readonly #entries = new Map<number, GitPackEntryHeader>();
  /** Byte offsets of pack entries, by git object id. */
  readonly #positions = new Map<string, number>();
  /** Ids of git objects that exceed the size limit of a file. */
  readonly #tooLarge = new Set<string>();
  readonly #cache = new Map<number, GitObject>();
  #cachedBytes = 0;
  #decompressed = 0;

  private constructor(
    pack: Buffer,
    { limits, signal }: { readonly limits: DataSourceSyncLimits; readonly signal: AbortSignal },
  ) {
    this.#pack = pack;
    this.#limits = limits;
    this.#signal = signal;
  }

  /**
   * Opens a git pack: reads all objects of the pack once to compute the object ids.
   *
   * @throws SyncError if the pack is malformed or exceeds a limit
   * @throws the reason of the signal after an abort
   */
  static async openGitPack(
    pack: Buffer,
    parts: { readonly limits: DataSourceSyncLimits; readonly signal: AbortSignal },
  ): Promise<GitPackObjects> {
    const objects = new GitPackObjects(pack, parts);
    await objects.#readEntries();
    await objects.#resolveDeltas();
    return objects;
  }

  /**
   * Reads a git object.
   *
   * @param name description of the object for error messages
   * @throws SyncError if the pack lacks the object, or the object exceeds the size limit of a file
   */
  async readGitObject(id: string, name: string): Promise<GitObject> {
    if (this.#tooLarge.has(id)) throw new SyncError(`${name} has more than ${this.#limits.fileBytes} bytes.`);
    const at = this.#positions.get(id);
    if (at === undefined) throw new SyncError(`The repository lacks ${name}, or it has too many bytes.`);
    const object = await this.#readObjectAt(at, 0);
    if (object === null) throw new SyncError(`${name} has more than ${this.#limits.fileBytes} bytes.`);
    return object;
  }

  /** Returns the offset of a git object in the pack, or 0 if the pack does not contain the object. */
  findObjectOffset(id: string): number {
    return this.#positions.get(id) ?? 0;
  }

  async #readEntries(): Promise<void> {
    const count = readGitPackEntryCount(this.#pack);
    // A commit has few folders for each file.
    const most = 4 * this.#limits.files + 1000;
    if (count > most) throw new SyncError(`The repository has more than ${most} files and folders.`);
    let at = 12;
    for (let index = 0; index < count; index += 1) {
      this.#signal.throwIfAborted();
      const entry = parseGitPackEntryHeader(this.#pack, at);
      this.#countDecompressedBytes(entry.size);
      const hash = entry.kind === 'delta' ? null : createGitObjectHash(entry.kind, entry.size);
      const end = await decompressGitPackEntry(this.#pack, entry, (piece) => hash?.update(piece));
      this.#entries.set(at, entry);
      if (hash !== null) this.#addOffset(hash.digest('hex'), at, entry.size);
      at = end;
    }
  }

  #addOffset(id: string, at: number, size: number): void {
    // A difference can be equal to its base, which has to remain the object of that id.
    if (!this.#positions.has(id)) this.#positions.set(id, at);
    if (size > this.#limits.fileBytes) this.#tooLarge.add(id);
  }

  /** Computes the ids of objects that are stored as deltas. The base of a delta may be another delta. */
  async #resolveDeltas(): Promise<void> {
    let open = [...this.#entries].filter(([, { kind }]) => kind === 'delta');
    for (let round = 0; open.length > 0 && round < maxDeltaChainLength; round += 1) {
      const later: typeof open = [];
      for (const [at, entry] of open) {
        this.#signal.throwIfAborted();
        if (typeof entry.base === 'string' && !this.#positions.has(entry.base)) {
          later.push([at, entry]);
          continue;
        }
        const object = await this.#readObjectAt(at, 0);
        if (object === null) continue;
        this.#addOffset(
          createGitObjectHash(object.kind, object.content.length).update(object.content).digest('hex'),
          at,
          0,
        );
      }
      if (later.length === open.length) break;
      open = later;
    }
  }

  /** Returns the git object at an offset, or null if the object exceeds the size limit of a file. */
  async #readObjectAt(at: number, depth: number): Promise<GitObject | null> {
    const cached = this.#cache.get(at);
    if (cached !== undefined) {
      // The object that was used least recently is evicted first.
      this.#cache.delete(at);
      this.#cache.set(at, cached);
      return cached;
    }
    const entry = this.#entries.get(at);
    if (entry === undefined || depth > maxDeltaChainLength) throw createMalformedPackError();
    if (entry.size > this.#limits.fileBytes) return null;
    const object = await this.#readObject(entry, depth);
    if (object !== null) this.#cacheObject(at, object);
    return object;
  }

  async #readObject(entry: GitPackEntryHeader, depth: number): Promise<GitObject | null> {
    const base = entry.base === null ? null : await this.#readObjectAt(this.#offsetOfBase(entry.base), depth + 1);
    if (entry.base !== null && base === null) return null;
    this.#countDecompressedBytes(entry.size);
    const content = Buffer.allocUnsafe(entry.size);
    await decompressGitPackEntry(this.#pack, entry, (piece, at) => void piece.copy(content, at));
    if (entry.kind !== 'delta') return { kind: entry.kind, content };
    const { size } = parseGitDeltaHeader(content);
    if (base === null || size > this.#limits.fileBytes) return null;
    this.#countDecompressedBytes(size);
    return { kind: base.kind, content: applyGitDelta(base.content, content) };
  }

  #offsetOfBase(base: number | string): number {
    const at = typeof base === 'number' ? base : this.#positions.get(base);
    if (at === undefined) throw createMalformedPackError();
    return at;
  }

  #cacheObject(at: number, object: GitObject): void {
    const { length } = object.content;
    if (length > maxCachedGitObjectBytes) return;
    this.#cache.set(at, object);
    this.#cachedBytes += length;
    for (const [oldest, { content }] of this.#cache) {
      if (this.#cachedBytes <= maxCachedGitObjectBytes) break;
      this.#cache.delete(oldest);
      this.#cachedBytes -= content.length;
    }
  }

  /**
   * Counts decompressed bytes.
   *
   * @throws SyncError if there are more than a repository within the limits needs
   */
  #countDecompressedBytes(bytes: number): void {
    this.#decompressed += bytes;
    const most = 10 * this.#limits.bytes + 1_048_576;
    if (this.#decompressed > most)
      throw new SyncError(`The repository needs more than ${most} bytes when its objects are decompressed.`);
  }
}

/**
 * Returns the hash of a git object's header. After the object's content is added, the digest of the hash is the
 * object's id.
 */
function createGitObjectHash(kind: GitObjectType, size: number): Hash {
  return createHash('sha1').update(`${kind} ${size}\0`);
}
