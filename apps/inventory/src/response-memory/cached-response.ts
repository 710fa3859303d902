import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { NewlyBuiltResponse } from './newly-built-response.js';

/**
 * Content encodings for which the cache stores a compressed copy of a response, in addition to the uncompressed bytes.
 */
export type CachedEncoding = 'br' | 'gzip';

/**
 * Functions that compress cached responses. The compression levels are the same as for uncached responses. Stronger
 * compression is not worth the time, because a cached response may be used only twice.
 */
const compressorByEncoding: Readonly<Record<CachedEncoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 4 }),
};

/**
 * Returns the weak entity tag of a list response, computed from the bytes of the response. All content encodings of the
 * same text have the same tag.
 */
export function computeEntityTag(bytes: Buffer | string): string {
  return `W/"${createHash('sha1').update(bytes).digest('base64url')}"`;
}

/** A cached JSON response, with the compressed copies that clients have requested. */
export class CachedResponse {
  readonly #compressed = new Map<CachedEncoding, Buffer>();
  readonly #making = new Map<CachedEncoding, Promise<Buffer>>();
  #byteLength: number;

  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly tag: string | undefined;

  /**
   * @param name cache key, which includes the exact permissions of the user
   * @param compressFromBytes minimum size in bytes for compressed forms
   * @param onGrowth called after a compressed form was added
   */
  constructor(
    readonly name: string,
    { body, headers, tag }: NewlyBuiltResponse<string>,
    private readonly compressFromBytes: number,
    private readonly onGrowth: (response: CachedResponse) => void,
  ) {
    this.bytes = Buffer.from(body);
    this.headers = headers;
    this.tag = tag;
    this.#byteLength = this.bytes.length;
  }

  /** Total size, in bytes, of the uncompressed bytes and the compressed copies of the response. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /**
   * Returns the bytes of the response in a content encoding. The first call for each encoding compresses the response.
   * Returns null if the response is too small to be compressed.
   */
  getEncodedBytes(encoding: CachedEncoding): Buffer | Promise<Buffer> | null {
    if (this.bytes.length < this.compressFromBytes) return null;
    const known = this.#compressed.get(encoding) ?? this.#making.get(encoding);
    if (known !== undefined) return known;
    const making = this.#compress(encoding);
    this.#making.set(encoding, making);
    return making;
  }

  async #compress(encoding: CachedEncoding): Promise<Buffer> {
    try {
      const bytes = await compressorByEncoding[encoding](this.bytes);
      this.#compressed.set(encoding, bytes);
      this.#byteLength += bytes.length;
      this.onGrowth(this);
      return bytes;
    } finally {
      this.#making.delete(encoding);
    }
  }
}
