import { createHash } from 'node:crypto';
import type { Statement } from '@switchboard/database';

/** Maximum number of prepared texts: each is stored by every connection, also in the server. */
const mostTexts = 200;

/**
 * Names statements whose texts are put together, so that connections prepare them once. Requests decide the texts:
 * only so many are named in the life of a process, the first ones, and the rest are planned each time.
 */
export class PreparedTexts {
  readonly #names = new Map<string, string>();

  constructor(private readonly prefix: string) {}

  /** Returns the statement, with its name if it has one or a name is free. */
  statement(text: string): Statement {
    const known = this.#names.get(text);
    if (known !== undefined) return { name: known, text };
    if (this.#names.size >= mostTexts) return { text, planned: 'each time' };
    // Two versions of the product may share connections through a pooler: equal names have to mean equal texts.
    const name = `${this.prefix}-${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
    this.#names.set(text, name);
    return { name, text };
  }
}
