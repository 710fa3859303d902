import pg from 'pg';
import type { DatabaseLogger } from '../create-pool.js';
import { runSqlStatement } from '../transaction-interface.js';
import {
  type DatabaseSnapshotReader,
  type ModelsWithChangedRows,
  type DatabaseSnapshotStamp,
  selectModelsWithChangedRowsSql,
  compareSnapshotStamps,
  areEqualSnapshotStamps,
  readModelsWithChangedRowsSinceSnapshot,
  readCurrentSnapshotStamp,
} from './change-stamp.js';
import type { CachedDatabaseValue } from './cached-value.js';

/** Options of {@link CachedDataChangeChecker}, which opens one connection in addition to the pool. */
export interface CachedDataChangeCheckerOptions {
  /** URL of the primary server. On a standby server, no cached value is ever current. */
  readonly url: string;
  readonly applicationName: string;
  readonly logger: DatabaseLogger;
  /** Time limit for one check of changes, and for opening the connection, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}

interface WaitingDataChangeCheck {
  readonly since: DatabaseSnapshotStamp;
  readonly models: ReadonlySet<number>;
  readonly resolve: (report: ModelsWithChangedRows) => void;
  readonly reject: (error: unknown) => void;
}

function getChangeCheckStatementName(text: string): string {
  return text === selectModelsWithChangedRowsSql ? 'change_report' : 'change_stamp';
}

/**
 * Checks whether the data of cached values has changed, on a separate connection. One check runs at a time. All calls
 * that arrive before the next check is sent share that check. The check covers the models of all these calls, since the
 * oldest of their change stamps. The database snapshot of the check is newer than all these calls, so that the result
 * includes every commit before each call.
 */
export class CachedDataChangeChecker {
  readonly #options: CachedDataChangeCheckerOptions;
  #client: Promise<pg.Client> | undefined;
  #waitingChecks: WaitingDataChangeCheck[] = [];
  #isCheckRunning = false;
  #isClosed = false;
  #newestStamp: DatabaseSnapshotStamp | undefined;
  /**
   * True if the last two change stamps (database snapshots) were equal, which means that no transaction ended between
   * them.
   */
  #isUnchanged = false;

  constructor(options: CachedDataChangeCheckerOptions) {
    this.#options = options;
  }

  /**
   * Reads the current change stamp (database snapshot), for values that the caller will read afterwards.
   *
   * @throws Error of the connection
   */
  async readCurrentStamp(): Promise<DatabaseSnapshotStamp> {
    return this.#runOnConnection((tx) => readCurrentSnapshotStamp(tx));
  }

  /**
   * Returns true if no change of a cached value's data was committed since the last verification of the value.
   *
   * @throws Error of the connection
   */
  async isValueCurrent(entry: CachedDatabaseValue<unknown>): Promise<boolean> {
    return entry.isUnchangedInReport(await this.readChangesSince(entry.verifiedStamp, entry.models));
  }

  /**
   * Returns a report of which of the given models have changed since a change stamp (database snapshot).
   *
   * @throws Error of the connection
   */
  readChangesSince(since: DatabaseSnapshotStamp, models: ReadonlySet<number>): Promise<ModelsWithChangedRows> {
    return new Promise((resolve, reject) => {
      this.#waitingChecks.push({ since, models, resolve, reject });
      if (this.#isCheckRunning) return;
      this.#isCheckRunning = true;
      setImmediate(() => this.#sendChecks());
    });
  }

  /**
   * Uses another connection for later checks, because the server of the current connection may no longer be the
   * primary. A running check may fail.
   */
  reconnect(): void {
    const former = this.#client;
    this.#client = undefined;
    former?.then((client) => client.end()).catch(() => undefined);
  }

  /** Closes the connection that checks changes. Running and later checks fail with an error. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  /**
   * Sends a check of changes for the waiting calls. Calls with change stamps of different server incarnations get
   * separate checks, because stamps from before and after a crash cannot be compared.
   */
  #sendChecks(): void {
    const groups = new Map<string, WaitingDataChangeCheck[]>();
    for (const one of this.#waitingChecks) {
      const { incarnation } = one.since;
      const group = groups.get(incarnation);
      if (group === undefined) groups.set(incarnation, [one]);
      else group.push(one);
    }
    this.#waitingChecks = [];
    this.#isCheckRunning = groups.size > 0;
    let underWay = groups.size;
    for (const group of groups.values()) {
      void this.#runCheck(group, () => {
        underWay -= 1;
        if (underWay === 0) this.#sendChecks();
      });
    }
  }

  /** @param onEnd called before the results are used, so that the next check can start meanwhile */
  async #runCheck(group: readonly WaitingDataChangeCheck[], onEnd: () => void): Promise<void> {
    try {
      const report = await this.#runOnConnection((tx) => this.#readReport(tx, group));
      onEnd();
      for (const { resolve } of group) resolve(report);
    } catch (error) {
      onEnd();
      for (const { reject } of group) reject(error);
    }
  }

  /**
   * Reads the changes since the oldest change stamp of a group of calls. First compares database snapshots: if two
   * snapshots are equal, no transaction was committed between them. Reading a snapshot takes a third of the time of a
   * check of all models.
   */
  async #readReport(
    tx: DatabaseSnapshotReader,
    group: readonly WaitingDataChangeCheck[],
  ): Promise<ModelsWithChangedRows> {
    const since = group.map((one) => one.since).reduce((a, b) => (compareSnapshotStamps(a, b) <= 0 ? a : b));
    if (this.#isUnchanged && areEqualSnapshotStamps(since, this.#newestStamp)) {
      const stamp = await readCurrentSnapshotStamp(tx);
      this.#recordStamp(stamp);
      if (areEqualSnapshotStamps(stamp, since)) return { ...stamp, changedModels: new Set(), removedBelowId: 0n };
    }
    const report = await readModelsWithChangedRowsSinceSnapshot(
      tx,
      since,
      new Set(group.flatMap(({ models }) => [...models])),
    );
    this.#recordStamp(report);
    return report;
  }

  #recordStamp({ incarnation, snapshot }: DatabaseSnapshotStamp): void {
    const stamp = { incarnation, snapshot };
    this.#isUnchanged = areEqualSnapshotStamps(stamp, this.#newestStamp);
    this.#newestStamp = stamp;
  }

  async #runOnConnection<T>(run: (tx: DatabaseSnapshotReader) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error('The checks are closed');
    const connecting = (this.#client ??= this.#connect());
    try {
      const client = await connecting;
      // Prepared once per connection, because both statements are sent repeatedly.
      return await run({
        query: (text, values = []) =>
          runSqlStatement(client, { name: getChangeCheckStatementName(text), text, values }),
      });
    } catch (error) {
      // A connection on which a check failed is replaced: a check fails only if the connection is broken.
      if (this.#client === connecting) this.#client = undefined;
      connecting.then((client) => client.end()).catch(() => undefined);
      throw error;
    }
  }

  async #connect(): Promise<pg.Client> {
    const { url, applicationName, logger, timeoutMs = 5_000 } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: `${applicationName}: change checks`,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      // A check is sent while another one is running.
      pipeline: true,
    });
    client.on('error', (err) => logger.warn({ err }, 'connection for change checks lost'));
    await client.connect();
    // SET is used because poolers reject settings as startup parameters. A new plan per call would cost 0.5 ms.
    await client.query('SET plan_cache_mode = force_generic_plan');
    return client;
  }
}
