import { AsyncResource } from 'node:async_hooks';
import type { SqlReader } from '../../infra/sql-reader.js';
import { listReturningUsers, recordPresences, type ReportedPresence } from './presence.repository.js';

/** Maximum time for which a presence report waits to be written together with others, in milliseconds. */
const maxPresenceCollectMs = 20;

/**
 * Maximum number of concurrent batches per realm. With two batches, one that waits for a lock does not block the other.
 */
const maxConcurrentPresenceBatches = 2;

/** Presence reports of a realm that are written together. */
interface PresenceBatch {
  /** Reports by user id: true if a report says that the user is active. */
  readonly reports: Map<number, boolean>;
  /** Promise of the ids of users whose reports were not written, because their return must be emitted as an event. */
  readonly written: Promise<ReadonlySet<number>>;
}

interface PresenceBatchesByRealm {
  running: number;
  open: PresenceBatch | undefined;
  /** Closes the batch, so that further reports start another one. */
  close: () => void;
}

/**
 * Writes presence reports of this process in batches. The first report starts a batch immediately. Later reports are
 * collected for at most 20 ms while batches run. A batch is one statement.
 */
export class PresenceWriter {
  readonly #realms = new Map<number, PresenceBatchesByRealm>();
  /**
   * Context in which batches run outside of any request, so that the disconnect of one client does not cancel a batch.
   */
  readonly #context = new AsyncResource('PresenceWriter');

  constructor(private readonly database: SqlReader) {}

  /**
   * Records a user's presence report.
   *
   * @returns false, without writing, if the user returns from an absence that must end with an event, because the realm
   * is small enough for presence events
   */
  async record(user: { readonly id: number; readonly realmId: number }, isActive: boolean): Promise<boolean> {
    const batch = this.#openBatch(user.realmId);
    batch.reports.set(user.id, isActive || batch.reports.get(user.id) === true);
    return !(await batch.written).has(user.id);
  }

  #openBatch(realmId: number): PresenceBatch {
    const realm = this.#realms.get(realmId) ?? { running: 0, open: undefined, close: () => undefined };
    this.#realms.set(realmId, realm);
    realm.open ??= this.#context.runInAsyncScope(() => this.#collect(realmId, realm));
    return realm.open;
  }

  #collect(realmId: number, realm: PresenceBatchesByRealm): PresenceBatch {
    const reports = new Map<number, boolean>();
    const gathered = new Promise<void>((resolve) => {
      realm.close = resolve;
      if (realm.running === 0) setImmediate(resolve);
      else if (realm.running < maxConcurrentPresenceBatches) setTimeout(resolve, maxPresenceCollectMs);
    });
    const written = gathered.then(async () => {
      realm.open = undefined;
      realm.running += 1;
      try {
        return await this.#write(realmId, reports);
      } finally {
        realm.running -= 1;
        if (realm.open === undefined && realm.running === 0) this.#realms.delete(realmId);
        realm.close();
      }
    });
    return { reports, written };
  }

  async #write(realmId: number, reports: ReadonlyMap<number, boolean>): Promise<ReadonlySet<number>> {
    const active = [...reports].flatMap(([userId, isActive]) => (isActive ? [userId] : []));
    const returning =
      active.length === 0 ? new Set<number>() : await listReturningUsers(this.database, realmId, active);
    const written: ReportedPresence[] = [...reports]
      .filter(([userId]) => !returning.has(userId))
      .map(([userId, isActive]) => ({ userId, isActive }));
    if (written.length > 0) await recordPresences(this.database, realmId, written);
    return returning;
  }
}
