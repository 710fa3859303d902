import type { Findings } from '../findings.js';
import { member, type RequestOutcome } from '../http.js';
import { pause } from '../abortable-pause.js';
import { readChatResponse } from '../classify-responses.js';
import { type ChatLoad, repeatUntilKnown } from './chat-load.js';
import type { ChatUser } from './chat-user.js';

/** Maximum time from the end of the last fault until a requested export is finished, in milliseconds. */
const settleMs = 300_000;

/**
 * Requests exports of the organization one after another, and deletes every second finished one. Each acknowledged
 * export must end with a complete archive, and the archive of a deleted export must be gone.
 */
export class ExportRequester implements ChatLoad {
  /** Acknowledged exports by id. `unknown`: the outcome of the deletion is unknown. */
  readonly #exports = new Map<number, 'kept' | 'deleted' | 'unknown'>();
  /** Number of requests that may have created an export. */
  #unknown = 0;

  constructor(
    private readonly user: ChatUser,
    private readonly parts: { readonly findings: Findings },
  ) {}

  async begin(): Promise<void> {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const verdict = readChatResponse(await this.user.call('POST', 'export/realm', {}));
      if (verdict.kind === 'unknown') this.#unknown += 1;
      if (verdict.kind === 'refused' || verdict.kind === 'unclean') this.#find(`request: ${JSON.stringify(verdict)}`);
      if (verdict.kind !== 'done') {
        await pause(100, signal);
        continue;
      }
      const id = Number(member(verdict.body, 'id'));
      this.#exports.set(id, 'kept');
      while (!signal.aborted && (await this.#listPending()).length > 0) await pause(250, signal);
      if (!signal.aborted && this.#exports.size % 2 === 0) await this.#delete(id);
    }
  }

  async #delete(id: number): Promise<void> {
    const verdict = readChatResponse(await this.user.call('DELETE', `export/realm/${id}`, {}));
    if (verdict.kind === 'done') this.#exports.set(id, 'deleted');
    else if (verdict.kind === 'unknown') this.#exports.set(id, 'unknown');
    else if (verdict.kind !== 'unsent') this.#find(`delete ${id}: ${JSON.stringify(verdict)}`);
  }

  async #list(): Promise<readonly unknown[]> {
    const verdict = await repeatUntilKnown(() => this.user.get('export/realm', {}));
    const list = verdict.kind === 'done' ? member(verdict.body, 'exports') : undefined;
    return Array.isArray(list) ? (list as unknown[]) : [];
  }

  async #listPending(): Promise<readonly unknown[]> {
    return (await this.#list()).filter((one) => member(one, 'pending') === true);
  }

  /** Waits until all exports are finished, and compares their list and their archives with the outcomes of the requests. */
  async check(): Promise<Readonly<Record<string, number>>> {
    const deadline = Date.now() + settleMs;
    while (Date.now() < deadline && (await this.#listPending()).length > 0) await pause(250);
    const list = await this.#list();
    for (const [id, expected] of this.#exports) {
      const rows = list.filter((one) => member(one, 'id') === id);
      const [row] = rows;
      const isFinished = member(row, 'pending') === false && member(row, 'failed_timestamp') === null;
      if (rows.length !== 1 || !isFinished) this.#find(`${id} is ${JSON.stringify(rows)}`);
      const isDeleted = member(row, 'deleted_timestamp') !== null;
      if (expected !== 'unknown' && isDeleted !== (expected === 'deleted')) this.#find(`${id} should be ${expected}`);
      if (!isDeleted) this.#checkArchive(id, await this.#download(String(member(row, 'export_url'))));
    }
    const unexpected = list.length - this.#exports.size;
    if (unexpected > this.#unknown) this.#find(`${unexpected} exports exist that were not requested`);
    const deleted = [...this.#exports.values()].filter((state) => state === 'deleted').length;
    return { exports: this.#exports.size, deletedExports: deleted };
  }

  #download(url: string): Promise<RequestOutcome> {
    const { pathname, search } = new URL(url, this.user.origin);
    return this.user.send({ method: 'GET', path: `${pathname}${search}` });
  }

  #checkArchive(id: number, outcome: RequestOutcome): void {
    // The connection is cut if a part of the archive is missing. Tests of exports compare the content.
    if (outcome.kind !== 'answered' || outcome.status !== 200) this.#find(`archive ${id}: ${JSON.stringify(outcome)}`);
  }

  #find(line: string): void {
    this.parts.findings.add(`export: ${line}`);
  }
}
