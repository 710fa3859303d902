import { AsyncResource } from 'node:async_hooks';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { listReturningUsers, recordPresences, type StoredPresenceReport } from './presence.repository.js';

/** Maximum time in milliseconds for which a presence report waits, so that several reports are written in one batch. */
const maxPresenceCollectMs = 20;

/**
 * Maximum number of concurrent batches of presence reports per realm. A batch that waits for a lock does not block the
 * second batch.
 */
const maxConcurrentPresenceBatches = 2;

/** A batch of presence reports of one realm that are written in one statement. */
interface PresenceReportBatch {
  /** Presence reports by user id. The value is true if a report states that the user is active. */
  readonly reports: Map<number, boolean>;
  /**
   * Promise of the ids of users whose presence reports were not written. The return of these users from an absence must
   * be emitted as an event.
   */
  readonly written: Promise<ReadonlySet<number>>;
}

interface RealmPresenceBatchState {
  running: number;
  open: PresenceReportBatch | undefined;
  /** Closes the current batch of presence reports, so that later reports start a new batch. */
  close: () => void;
}

/**
 * Writes presence reports of this process in batches. The first report starts a batch immediately. Later reports are
 * collected for at most 20 ms while batches run. Each batch is written by one SQL statement.
 */
export class PresenceWriter {
  readonly #realms = new Map<number, RealmPresenceBatchState>();
  /**
   * Async context in which batches of presence reports run outside of any request. The disconnect of one client
   * therefore does not cancel a batch.
   */
  readonly #context = new AsyncResource('PresenceWriter');

  constructor(private readonly database: SqlQueryRunner) {}

  /**
   * Records a user's presence report.
   *
   * @returns false, and writes nothing, if the user returns from an absence and the realm is small enough for presence
   * events
   */
  async record(user: { readonly id: number; readonly realmId: number }, isActive: boolean): Promise<boolean> {
    const batch = this.#openBatch(user.realmId);
    batch.reports.set(user.id, isActive || batch.reports.get(user.id) === true);
    return !(await batch.written).has(user.id);
  }

  #openBatch(realmId: number): PresenceReportBatch {
    const realm = this.#realms.get(realmId) ?? { running: 0, open: undefined, close: () => undefined };
    this.#realms.set(realmId, realm);
    realm.open ??= this.#context.runInAsyncScope(() => this.#collect(realmId, realm));
    return realm.open;
  }

  #collect(realmId: number, realm: RealmPresenceBatchState): PresenceReportBatch {
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
    const written: StoredPresenceReport[] = [...reports]
      .filter(([userId]) => !returning.has(userId))
      .map(([userId, isActive]) => ({ userId, isActive }));
    if (written.length > 0) await recordPresences(this.database, realmId, written);
    return returning;
  }
}
