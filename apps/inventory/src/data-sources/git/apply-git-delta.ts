import { SyncError } from '../data-source-sync-error.js';

/**
 * Maximum number of instructions in a git delta. The limit exists because all instructions are applied without a pause.
 * Most instructions that git writes copy or insert 16 bytes or more.
 */
const maxDeltaInstructions = 500_000;

/** Header of a git delta: sizes of the base and the result, and the offset `at` of the first instruction. */
export interface GitDeltaHeader {
  /** Size in bytes of the base object, to which the delta is applied. */
  readonly baseSize: number;
  /** Size in bytes of the object that the delta produces. */
  readonly size: number;
  readonly at: number;
}

export function parseGitDeltaHeader(delta: Buffer): GitDeltaHeader {
  const [baseSize, sizeAt] = readVariableLengthNumber(delta, 0);
  const [size, at] = readVariableLengthNumber(delta, sizeAt);
  return { baseSize, size, at };
}

/**
 * Applies a git delta to the base object and returns the resulting object (https://git-scm.com/docs/pack-format).
 *
 * @throws SyncError if the delta is malformed or belongs to another base
 */
export function applyGitDelta(base: Buffer, delta: Buffer): Buffer {
  const { baseSize, size, at: start } = parseGitDeltaHeader(delta);
  if (baseSize !== base.length) throw createMalformedDeltaError();
  const result = Buffer.allocUnsafe(size);
  let at = start;
  let length = 0;
  for (let count = 0; at < delta.length; count += 1) {
    if (count === maxDeltaInstructions) throw createMalformedDeltaError();
    const instruction = delta[at] ?? 0;
    at += 1;
    const isCopy = instruction >= 0x80;
    const copied = isCopy ? parseDeltaCopyInstruction(delta, at, instruction) : null;
    const source = copied === null ? delta : base;
    const from = copied === null ? at : copied.offset;
    const bytes = copied === null ? instruction : copied.count;
    if (bytes === 0 || from + bytes > source.length || length + bytes > size) throw createMalformedDeltaError();
    // Calling `copy` for a few bytes takes longer than copying them.
    if (bytes > 16) source.copy(result, length, from, from + bytes);
    else for (let index = 0; index < bytes; index += 1) result[length + index] = source[from + index] ?? 0;
    length += bytes;
    at = copied === null ? at + bytes : copied.at;
  }
  if (length !== size) throw createMalformedDeltaError();
  return result;
}

/** Factors of the four bytes of a little-endian number, lowest byte first. */
const littleEndianBytePlaceValues = [1, 0x1_00, 0x1_00_00, 0x1_00_00_00];

/**
 * Parses the offset and length of a copy instruction in a git delta. The bits of the opcode `bits` state which bytes of
 * offset and length are present.
 */
function parseDeltaCopyInstruction(
  delta: Buffer,
  start: number,
  bits: number,
): { offset: number; count: number; at: number } {
  let offset = 0;
  let count = 0;
  let at = start;
  for (let index = 0; index < 7; index += 1) {
    if (((bits >> index) & 1) === 0) continue;
    const value = (delta[at] ?? 0) * (littleEndianBytePlaceValues[index % 4] ?? 0);
    at += 1;
    if (index < 4) offset += value;
    else count += value;
  }
  return { offset, count: count === 0 ? 0x1_00_00 : count, at };
}

/**
 * Parses a variable-length number: seven bits per byte, lowest bits first. Returns the number and the offset of the
 * byte after the number.
 */
export function readVariableLengthNumber(bytes: Buffer, start: number): [size: number, at: number] {
  let [size, at] = [0, start];
  for (let scale = 1; scale < 2 ** 49; scale *= 128) {
    const byte = bytes[at];
    if (byte === undefined) break;
    at += 1;
    size += (byte % 128) * scale;
    if (byte < 128) return [size, at];
  }
  throw createMalformedDeltaError();
}

function createMalformedDeltaError(): SyncError {
  return new SyncError('The objects of the repository are malformed.');
}
