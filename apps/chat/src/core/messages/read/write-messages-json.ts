import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBadRequestError } from '../../../errors.js';
import { JsonBytes } from '../../../infra/http/json-byte-chunks.js';
import type { MessageSize } from './messages-page.repository.js';

/**
 * Total size of message texts, in bytes, after which the event loop may run other work. Parsing and serializing texts
 * of this size takes a few milliseconds.
 */
const messagesJsonChunkBytes = 1_048_576;

/**
 * Reads messages in portions, and serializes them as one JSON array. Between portions the event loop can run other
 * work. Only the serialized bytes remain in memory.
 *
 * @throws ApplicationError BAD_REQUEST when the array is larger than `maxBytes`
 */
export async function writeMessagesJson(
  sizes: readonly MessageSize[],
  maxBytes: number,
  read: (ids: readonly number[]) => Promise<readonly object[]>,
): Promise<JsonBytes> {
  if (sizes.reduce((sum, [, bytes]) => sum + bytes, 0) > maxBytes) throw createResponseTooLargeError(maxBytes);
  const chunks: Buffer[] = [];
  let written = 0;
  for (const ids of divideMessagesIntoPortions(sizes)) {
    const values = JSON.stringify(await read(ids)).slice(1, -1);
    if (values === '') continue;
    const chunk = Buffer.from(`${written === 0 ? '[' : ','}${values}`);
    written += chunk.length;
    if (written > maxBytes) throw createResponseTooLargeError(maxBytes);
    chunks.push(chunk);
    await nextTurn();
  }
  return new JsonBytes([...chunks, Buffer.from(written === 0 ? '[]' : ']')]);
}

function divideMessagesIntoPortions(sizes: readonly MessageSize[]): number[][] {
  const slices: number[][] = [];
  let room = 0;
  for (const [id, bytes] of sizes) {
    if (slices.length === 0 || bytes > room) {
      slices.push([]);
      room = messagesJsonChunkBytes;
    }
    slices.at(-1)?.push(id);
    room -= bytes;
  }
  return slices;
}

function createResponseTooLargeError(maxBytes: number): Error {
  return createBadRequestError(
    `The messages are too large for one response (limit: ${maxBytes} bytes); request fewer messages.`,
  );
}
