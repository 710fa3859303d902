import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { MadeResponse } from './made-response.js';

/** Encodings that a kept response is stored in besides its own bytes. */
export type KeptEncoding = 'br' | 'gzip';

/** The levels of responses that are compressed when they are sent: a response may be sent twice only. */
const compressors: Readonly<Record<KeptEncoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 4 }),
};

/** Weak entity tag of the bytes of a list: the encodings of one text share it. */
export function tagOfBytes(bytes: Buffer | string): string {
  return `W/"${createHash('sha1').update(bytes).digest('base64url')}"`;
}

/** JSON of a response in memory, and its compressed forms once a client has asked for them. */
export class KeptResponse {
  readonly #compressed = new Map<KeptEncoding, Buffer>();
  readonly #making = new Map<KeptEncoding, Promise<Buffer>>();
  #byteLength: number;

  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly tag: string | undefined;

  /**
   * @param name key in the memory, with the exact rights of the user
   * @param compressFromBytes a shorter response has no compressed form
   * @param onGrowth is called when a compressed form has been added to the response
   */
  constructor(
    readonly name: string,
    { body, headers, tag }: MadeResponse<string>,
    private readonly compressFromBytes: number,
    private readonly onGrowth: (response: KeptResponse) => void,
  ) {
    this.bytes = Buffer.from(body);
    this.headers = headers;
    this.tag = tag;
    this.#byteLength = this.bytes.length;
  }

  /** Size of all forms. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Returns the bytes in an encoding, which are made once; null for a short response. */
  encoded(encoding: KeptEncoding): Buffer | Promise<Buffer> | null {
    if (this.bytes.length < this.compressFromBytes) return null;
    const known = this.#compressed.get(encoding) ?? this.#making.get(encoding);
    if (known !== undefined) return known;
    const making = this.#compress(encoding);
    this.#making.set(encoding, making);
    return making;
  }

  async #compress(encoding: KeptEncoding): Promise<Buffer> {
    try {
      const bytes = await compressors[encoding](this.bytes);
      this.#compressed.set(encoding, bytes);
      this.#byteLength += bytes.length;
      this.onGrowth(this);
      return bytes;
    } finally {
      this.#making.delete(encoding);
    }
  }
}
