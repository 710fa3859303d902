import type { ModelDefinition } from '../declaration/define-model.js';
import { canModelReturnEncryptedTexts } from '../sealed/encrypted-text-sql.js';
import type { JsonFragment } from './read-with-cursor.js';
import type { ObjectJsonSqlCache } from './object-json-sql.js';

/** SQLSTATE code of the error for a value that exceeds a limit of PostgreSQL, such as a text longer than 1 GB. */
const PROGRAM_LIMIT_EXCEEDED_SQLSTATE = '54000';

/** Returns true if a database error means that the result text of a statement is too long for PostgreSQL. */
export function isTextTooLongError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === PROGRAM_LIMIT_EXCEEDED_SQLSTATE;
}

/**
 * Decrypts the encrypted texts in JSON objects that arrive in fragments. If a model has encrypted texts, the fragments
 * of a long object are joined before decryption.
 */
export class FragmentDecryptor {
  readonly #isSealed: boolean;
  #begun: { id: number; parts: Buffer[] } | null = null;

  constructor(
    private readonly shapes: ObjectJsonSqlCache,
    private readonly model: ModelDefinition,
  ) {
    this.#isSealed = canModelReturnEncryptedTexts(model);
  }

  /**
   * Decrypts JSON fragments and returns the fragments of complete objects. The fragments of an object that is still
   * incomplete are stored until the next call.
   */
  decryptFragments(pieces: readonly JsonFragment[]): readonly JsonFragment[] {
    if (!this.#isSealed) return pieces;
    return pieces.flatMap((piece) => {
      if (typeof piece.content === 'string')
        return [...this.decryptLastObject(), this.#decryptFragment(piece.id, piece.content)];
      const ended = piece.isFirst ? this.decryptLastObject() : [];
      this.#begun ??= { id: piece.id, parts: [] };
      this.#begun.parts.push(piece.content);
      return ended;
    });
  }

  /**
   * Decrypts and returns the stored fragments of the last object of the list. Returns no fragments if none are stored.
   */
  decryptLastObject(): readonly JsonFragment[] {
    if (this.#begun === null) return [];
    const { id, parts } = this.#begun;
    this.#begun = null;
    return [this.#decryptFragment(id, Buffer.concat(parts).toString())];
  }

  #decryptFragment(id: number, text: string): JsonFragment {
    return { id, isFirst: true, content: this.shapes.decryptJson(this.model, text) };
  }
}

/**
 * Returns JSON fragments of objects, joined into one buffer with commas between objects. `isStart` is true for the
 * first call for a list.
 */
export function joinJsonFragments(pieces: readonly JsonFragment[], isStart: boolean): Buffer {
  const parts: Buffer[] = [];
  let text = '';
  for (const [index, { isFirst, content }] of pieces.entries()) {
    if (isFirst && !(isStart && index === 0)) text += ', ';
    if (typeof content === 'string') text += content;
    else {
      parts.push(Buffer.from(text), content);
      text = '';
    }
  }
  return Buffer.concat([...parts, Buffer.from(text)]);
}
