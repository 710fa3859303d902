import { BadEventQueueError } from './errors.js';
import type { HeaderChunk, LogChunk, LogStatus, LogStore } from './log-store.js';
import type { QueueView } from './queue-view.js';
import { READ_COUNT, type RealmReader } from './realm-reader.js';

/** What a look at the history needs. */
export interface HistoryOptions {
  store: LogStore;
  queueCap: number;
  /** Asks for a drain of the realm. */
  ring: (realm: string) => void;
}

/** Entries read at once for a queue that they concern. */
const PICK_COUNT = 200;

/**
 * What lies before the tail in memory, read from Redis for one queue: the headers of all entries, and the whole of those
 * that concern the queue. A hundred thousand entries of others are passed in some tenths of a second, and take no memory.
 */
export class History {
  constructor(private readonly options: HistoryOptions) {}

  /**
   * Lets the view examine everything up to the tail; it stops early once the view holds more events than a queue may.
   * False when the log has nothing there now though it should have: Redis is behind, and was told.
   *
   * @throws BadEventQueueError when a part of it is no longer in the log
   */
  async examine(view: QueueView, { realm, tail }: RealmReader): Promise<boolean> {
    const { queueCap } = this.options;
    let ahead = this.read(realm, view.examined, tail.base);
    while (view.examined < tail.base && view.events.length <= queueCap) {
      const { upTo, chunk } = ahead;
      const { headers, ...status } = await chunk;
      if (!this.reaches(status, view, status.last >= upTo)) return false;
      // Redis finds the next ones while these are looked at.
      if (upTo < tail.base) ahead = this.read(realm, upTo, tail.base);
      const units = headers.filter((header) => view.concerns(header)).map(({ unit }) => unit);
      if (!(await this.examineEntries(view, realm, units))) return false;
      if (view.events.length <= queueCap) view.pass(upTo);
    }
    return true;
  }

  private read(realm: string, after: number, end: number): { upTo: number; chunk: Promise<HeaderChunk> } {
    const upTo = Math.min(after + READ_COUNT, end);
    const chunk = this.options.store.headers(realm, after, upTo);
    // Whoever stops early does not look at it.
    chunk.catch(() => {});
    return { upTo, chunk };
  }

  private async examineEntries(view: QueueView, realm: string, units: readonly number[]): Promise<boolean> {
    const { store, queueCap } = this.options;
    for (let from = 0; from < units.length && view.events.length <= queueCap; from += PICK_COUNT) {
      const wanted = units.slice(from, from + PICK_COUNT);
      const chunk: LogChunk = await store.pick(realm, wanted);
      if (!this.reaches(chunk, view, chunk.entries.length === wanted.length)) return false;
      for (const entry of chunk.entries) view.examine(entry);
    }
    return true;
  }

  /** Whether what was read goes on from where the view is, without a part that was trimmed or that Redis lost. */
  private reaches({ floor }: LogStatus, view: QueueView, complete: boolean): boolean {
    if (floor > view.examined) throw new BadEventQueueError(view.queue.id);
    if (!complete) this.options.ring(view.queue.realm);
    return complete;
  }
}
