import { createHash } from 'node:crypto';
import type { Statement } from '@switchboard/database';

/** Maximum number of prepared statements, because each connection stores all of them, also in the database server. */
const maxTexts = 200;

/**
 * Names statements with generated texts, so that connections prepare them once. Requests determine the texts, so only a
 * limited number is named in the life of a process; the rest are planned each time.
 */
export class PreparedTexts {
  readonly #names = new Map<string, string>();

  constructor(private readonly prefix: string) {}

  /** Returns the statement, with a name unless the limit is reached. */
  statement(text: string): Statement {
    const known = this.#names.get(text);
    if (known !== undefined) return { name: known, text };
    if (this.#names.size >= maxTexts) return { text, planned: 'each time' };
    // Two versions of the service may share connections through a pooler, so equal names must mean equal texts.
    const name = `${this.prefix}-${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
    this.#names.set(text, name);
    return { name, text };
  }
}
