import { SyncError } from '../sync-error.js';

/** Sizes of a delta, and the position of its first instruction. */
export interface DeltaHead {
  /** Size of the object that the delta applies to. */
  readonly baseSize: number;
  /** Size of the object that it makes. */
  readonly size: number;
  readonly at: number;
}

/** Reads the head of a delta. */
export function readDeltaHead(delta: Buffer): DeltaHead {
  const [baseSize, sizeAt] = readSize(delta, 0);
  const [size, at] = readSize(delta, sizeAt);
  return { baseSize, size, at };
}

/**
 * Returns the object that a delta makes of another one (https://git-scm.com/docs/pack-format).
 *
 * @throws SyncError if the delta does not suit the object
 */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const { baseSize, size, at: start } = readDeltaHead(delta);
  if (baseSize !== base.length) throw malformed();
  const result = Buffer.allocUnsafe(size);
  let [at, length] = [start, 0];
  while (at < delta.length) {
    const instruction = delta[at] ?? 0;
    at += 1;
    const isCopy = instruction >= 0x80;
    let [offset, count] = [0, instruction];
    if (isCopy) {
      const numbers = readCopy(delta, at, instruction);
      [offset, count, at] = [numbers.offset, numbers.count, numbers.at];
    }
    const source = isCopy ? base : delta;
    const from = isCopy ? offset : at;
    if (count === 0 || from + count > source.length || length + count > size) throw malformed();
    // Calling `copy` for a few bytes takes longer than copying them.
    if (count > 16) source.copy(result, length, from, from + count);
    else for (let index = 0; index < count; index += 1) result[length + index] = source[from + index] ?? 0;
    length += count;
    if (!isCopy) at += count;
  }
  if (length !== size) throw malformed();
  return result;
}

/** Reads offset and count of a copy. Bits of the instruction say which of their bytes follow. */
function readCopy(delta: Buffer, start: number, bits: number): { offset: number; count: number; at: number } {
  let [offset, count, at] = [0, 0, start];
  for (let index = 0; index < 7; index += 1) {
    if (Math.floor(bits / 2 ** index) % 2 === 0) continue;
    const byte = delta[at] ?? 0;
    at += 1;
    if (index < 4) offset += byte * 2 ** (8 * index);
    else count += byte * 2 ** (8 * (index - 4));
  }
  return { offset, count: count === 0 ? 0x1_00_00 : count, at };
}

/** Reads a number of seven bits a byte, the lowest first. Returns it with the position behind it. */
export function readSize(bytes: Buffer, start: number): [size: number, at: number] {
  let [size, at] = [0, start];
  for (let scale = 1; scale < 2 ** 49; scale *= 128) {
    const byte = bytes[at];
    if (byte === undefined) break;
    at += 1;
    size += (byte % 128) * scale;
    if (byte < 128) return [size, at];
  }
  throw malformed();
}

function malformed(): SyncError {
  return new SyncError('The objects of the repository are malformed.');
}
