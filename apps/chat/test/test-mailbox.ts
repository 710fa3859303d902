import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@switchboard/testing';
import type { ChatProcess } from './chat-server.js';

/**
 * Reads the emails of a chat process from the folder in which the process stores emails. Emails that are not stored yet
 * are not included.
 */
export class Mailbox {
  readonly #folder: string;

  constructor(chat: ChatProcess) {
    this.#folder = chat.runtime.config.MAIL_FOLDER;
  }

  /** Returns the emails sent to an address as raw file contents, oldest first. */
  async list(to: string): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const files = names.filter((name) => name.endsWith('.eml')).toSorted((a, b) => numberIn(a) - numberIn(b));
    const mails = await Promise.all(files.map((name) => readFile(join(this.#folder, name), 'utf8')));
    return mails.filter((mail) => mail.includes(`To: ${to}\r\n`));
  }

  /** Waits until `count` emails were sent to an address, and returns the newest email. */
  async newest(to: string, count = 1): Promise<string> {
    const what = `${count} mails to ${to}`;
    const mails = await waitFor(
      async () => {
        const all = await this.list(to);
        return all.length >= count && all;
      },
      { timeoutMs: 30_000, what },
    );
    return mails.at(-1) ?? '';
  }
}

/** Returns the sequence number in the file name of an email. */
function numberIn(name: string): number {
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}
