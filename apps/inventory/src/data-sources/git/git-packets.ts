import { SyncError } from '../data-source-sync-error.js';

/** Flush packet of git's protocol, which separates sections of a message. */
export const flushPacketText = '0000';

/** Number of packets that are read before the event loop serves other requests. */
const gitPacketsReadBetweenPauses = 4096;

/**
 * Encodes a text as a packet of git's protocol: the packet's length in four hexadecimal digits, followed by the text.
 */
export function encodeGitPacket(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
}

/** Reads the packets of a message in git's protocol (https://git-scm.com/docs/protocol-common). */
export class GitPacketReader {
  #at = 0;
  #count = 0;

  constructor(private readonly message: Buffer) {}

  /**
   * Returns the content of the next packet, `flush` for a flush packet, or null at the end of the message.
   *
   * @throws SyncError if the message is malformed
   */
  async readNextPacket(): Promise<Buffer | 'flush' | null> {
    this.#count += 1;
    if (this.#count % gitPacketsReadBetweenPauses === 0) await new Promise((resolve) => setImmediate(resolve));
    const { message } = this;
    if (this.#at === message.length) return null;
    const head = message.toString('latin1', this.#at, this.#at + 4);
    const length = /^[\da-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : Number.NaN;
    const start = this.#at + 4;
    const end = this.#at + Math.max(length, 4);
    if (Number.isNaN(length) || end > message.length)
      throw new SyncError('The response of the git server is malformed.');
    this.#at = end;
    return length < 4 ? 'flush' : message.subarray(start, end);
  }

  /** Returns the unread rest of the message. Must be used when the rest is not divided into packets. */
  readRemainingBytes(): Buffer {
    return this.message.subarray(this.#at);
  }
}
