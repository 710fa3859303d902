import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { AdminError } from '../../admin-error.js';

/**
 * One element of an array in a JSON file. The array is the whole file, or a property value of the object in the file.
 */
export interface JsonArrayElement {
  /** Name of the property that contains the array; empty if the whole file is an array. */
  readonly key: string;
  /** JSON text of the array element, on one line. */
  readonly text: string;
}

const maxJsonArrayElementBytes = 64 * 1024 * 1024;

const jsonByteCodes = {
  quote: 0x22,
  comma: 0x2c,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/**
 * Yields the elements of the arrays in a JSON file, in the order of the file. Values that are not arrays are skipped.
 * At most one element is in memory. The JSON text of an element is not validated.
 *
 * @throws AdminError if the file is not an array or object, or ends too early
 */
export async function* readJsonArrayElements(file: string): AsyncGenerator<JsonArrayElement[]> {
  const scanner = new JsonArrayElementScanner(basename(file));
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    const found = scanner.scan(Buffer.from(chunk));
    if (found.length > 0) yield found;
  }
  scanner.checkComplete();
}

/** Finds the array elements in consecutive chunks of a JSON text. */
class JsonArrayElementScanner {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /**
   * Nesting depth of the array elements: 1 if the file is an array, 2 if the file is an object, 0 before the first
   * byte.
   */
  #elementDepth = 0;
  /** True while the scanner's position is in an array whose elements the scanner returns. */
  #isWanted = false;
  #key = '';
  /** Bytes of the current array element or property name that earlier chunks contained. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isComplete = false;

  constructor(private readonly name: string) {}

  scan(chunk: Buffer): JsonArrayElement[] {
    const found: JsonArrayElement[] = [];
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === jsonByteCodes.backslash) this.#isEscaped = true;
        else if (byte === jsonByteCodes.quote) this.#inString = false;
        continue;
      }
      if (byte === jsonByteCodes.quote) this.#inString = true;
      if (byte > jsonByteCodes.quote && this.#isBoundary(byte)) {
        const text = this.#takePendingText(chunk.subarray(start, index));
        start = index + 1;
        this.#processBoundary(byte, text, found);
      }
      if (byte > 0x20) this.#checkInsideDocument(byte);
    }
    this.#addPendingBytes(chunk.subarray(start));
    return found;
  }

  /**
   * Checks that the scanned JSON text is complete.
   *
   * @throws AdminError if the text is incomplete
   */
  checkComplete(): void {
    if (!this.#isComplete || this.#inString || this.#depth !== 0) throw this.#malformedError();
  }

  /**
   * Tracks the nesting depth. Returns true for a byte that ends an array element or property name, or starts an array
   * of elements.
   */
  #isBoundary(byte: number): boolean {
    if (byte === jsonByteCodes.openArray || byte === jsonByteCodes.openObject) {
      if (this.#isComplete) throw this.#malformedError();
      this.#depth += 1;
      if (this.#elementDepth === 0) {
        this.#elementDepth = byte === jsonByteCodes.openArray ? 1 : 2;
        this.#isWanted = byte === jsonByteCodes.openArray;
        return true;
      }
      return this.#depth === this.#elementDepth && this.#elementDepth === 2;
    }
    if (byte === jsonByteCodes.closeArray || byte === jsonByteCodes.closeObject) {
      this.#depth -= 1;
      if (this.#depth < 0) throw this.#malformedError();
      return this.#depth < this.#elementDepth;
    }
    return byte === jsonByteCodes.comma && this.#depth <= this.#elementDepth;
  }

  /** Processes the end of an array element or property name, together with the text before that end. */
  #processBoundary(byte: number, text: string, found: JsonArrayElement[]): void {
    const isOpening = byte === jsonByteCodes.openArray || byte === jsonByteCodes.openObject;
    if (isOpening) {
      if (this.#elementDepth === 2 && this.#depth === 2) {
        this.#isWanted = byte === jsonByteCodes.openArray;
        this.#key = this.#isWanted ? this.#parseName(text) : '';
      }
      return;
    }
    const elementsEnd = byte !== jsonByteCodes.comma && this.#depth === this.#elementDepth - 1;
    const isInElements = elementsEnd || (byte === jsonByteCodes.comma && this.#depth === this.#elementDepth);
    if (isInElements && this.#isWanted && text.trim() !== '')
      found.push({ key: this.#key, text: toSingleLineText(text) });
    if (elementsEnd) {
      if (this.#isWanted !== (byte === jsonByteCodes.closeArray)) throw this.#malformedError();
      this.#isWanted = false;
    }
    if (this.#depth === 0) this.#isComplete = true;
  }

  #parseName(text: string): string {
    const name = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*$/s.exec(text)?.[1];
    if (name === undefined) throw this.#malformedError();
    return String(JSON.parse(name));
  }

  /** Throws if the text before or after the outer array or object is not blank. */
  #checkInsideDocument(byte: number): void {
    const isClosing = byte === jsonByteCodes.closeArray || byte === jsonByteCodes.closeObject;
    if (this.#elementDepth === 0 || (this.#depth === 0 && !isClosing)) throw this.#malformedError();
  }

  #takePendingText(last: Buffer): string {
    this.#addPendingBytes(last);
    const text = Buffer.concat(this.#pending).toString();
    this.#pending = [];
    this.#pendingBytes = 0;
    return text;
  }

  #addPendingBytes(part: Buffer): void {
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > maxJsonArrayElementBytes) throw new AdminError(`${this.name} has a row that is too long.`);
    if (part.length > 0) this.#pending.push(Buffer.from(part));
  }

  #malformedError(): AdminError {
    return new AdminError(`${this.name} is not valid JSON, or not complete.`);
  }
}

/**
 * Returns a JSON text on one line. Line breaks are replaced by blanks, because JSON allows them only between tokens.
 * The characters U+2028 and U+2029 in strings are escaped, because readline would split the line at these characters.
 */
function toSingleLineText(text: string): string {
  return text
    .replaceAll(/[\r\n]/g, ' ')
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`)
    .trim();
}
