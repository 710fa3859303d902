import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@switchboard/testing';
import type { ChatProcess } from './chat-server.js';

/** The mails that a process has sent, in its folder. One that waits to be sent is not there yet. */
export class Mailbox {
  readonly #folder: string;

  constructor(chat: ChatProcess) {
    this.#folder = chat.runtime.config.MAIL_FOLDER;
  }

  /** The mails to an address as they stand in their files, oldest first. */
  async list(to: string): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const files = names.filter((name) => name.endsWith('.eml')).toSorted((a, b) => numberIn(a) - numberIn(b));
    const mails = await Promise.all(files.map((name) => readFile(join(this.#folder, name), 'utf8')));
    return mails.filter((mail) => mail.includes(`To: ${to}\r\n`));
  }

  /** The newest mail to an address, once `count` of them were sent. */
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

/** Mails are numbered in the order in which they were written. */
function numberIn(name: string): number {
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}
