import type { ModelDefinition } from '../declaration/define-model.js';
import { canShowEncryptedTexts } from '../sealed/encrypted-text-sql.js';
import type { JsonFragment } from './read-with-cursor.js';
import type { ObjectJsonShapes } from './object-json-sql.js';

/** SQLSTATE of the error for a value that exceeds a limit of PostgreSQL, such as a text above 1 GB. */
const PROGRAM_LIMIT_EXCEEDED = '54000';

/** Returns true for the error of a statement whose result text is too long for PostgreSQL. */
export function isTextTooLongError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === PROGRAM_LIMIT_EXCEEDED;
}

/**
 * Decrypts the encrypted texts in JSON objects that arrive in fragments. For models with encrypted texts, the fragments
 * of a long object are joined before decryption.
 */
export class FragmentDecryptor {
  readonly #isSealed: boolean;
  #begun: { id: number; parts: Buffer[] } | null = null;

  constructor(
    private readonly shapes: ObjectJsonShapes,
    private readonly model: ModelDefinition,
  ) {
    this.#isSealed = canShowEncryptedTexts(model);
  }

  /**
   * Decrypts JSON fragments and returns the fragments of complete objects. Retains the fragments of an unfinished
   * object.
   */
  decrypt(pieces: readonly JsonFragment[]): readonly JsonFragment[] {
    if (!this.#isSealed) return pieces;
    return pieces.flatMap((piece) => {
      if (typeof piece.content === 'string') return [...this.finish(), this.#decryptFragment(piece.id, piece.content)];
      const ended = piece.isFirst ? this.finish() : [];
      this.#begun ??= { id: piece.id, parts: [] };
      this.#begun.parts.push(piece.content);
      return ended;
    });
  }

  /** Returns the decrypted fragments of the last long object, if some were retained. */
  finish(): readonly JsonFragment[] {
    if (this.#begun === null) return [];
    const { id, parts } = this.#begun;
    this.#begun = null;
    return [this.#decryptFragment(id, Buffer.concat(parts).toString())];
  }

  #decryptFragment(id: number, text: string): JsonFragment {
    return { id, isFirst: true, content: this.shapes.decryptJson(this.model, text) };
  }
}

/** Joins JSON fragments of objects, with commas between objects. `isStart` is true for the first call of a list. */
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
