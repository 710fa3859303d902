import {
  type ModelsWithChangedRows,
  type DatabaseSnapshotStamp,
  compareSnapshotStamps,
  getSnapshotXmax,
} from './change-stamp.js';

/**
 * Data models on which a cached value depends, with two change stamps (database snapshots): of the reading of the data,
 * and of the last verification.
 */
export interface CachedValueDependencies {
  readonly models: ReadonlySet<number>;
  /**
   * Change stamp (database snapshot) at which the data of the cached value was verified as unchanged. Never older than
   * {@link readStamp}.
   */
  readonly verifiedStamp: DatabaseSnapshotStamp;
  /** Change stamp (database snapshot) at which the data of the cached value was read. */
  readonly readStamp: DatabaseSnapshotStamp;
}

/** A cached value, with the range of database snapshots in which the value is equal to the data in the database. */
export class CachedDatabaseValue<T> implements CachedValueDependencies {
  readonly models: ReadonlySet<number>;
  readonly readStamp: DatabaseSnapshotStamp;
  #verifiedStamp: DatabaseSnapshotStamp;

  /**
   * @param stamp read before the first statement that read the value, or in its repeatable read transaction
   * @param inputs other cached values that were used to make this one, whose models and stamps count as well
   */
  constructor(
    readonly value: T,
    models: Iterable<number>,
    stamp: DatabaseSnapshotStamp,
    inputs: readonly CachedValueDependencies[] = [],
  ) {
    this.models = new Set([...models, ...inputs.flatMap((input) => [...input.models])]);
    const newest = inputs.map((input) => input.readStamp).filter((made) => compareSnapshotStamps(made, stamp) > 0);
    this.readStamp = newest.reduce((a, b) => (compareSnapshotStamps(a, b) < 0 ? b : a), stamp);
    const oldest = inputs.map((input) => input.verifiedStamp);
    // A stamp of another incarnation of the server never matches a report again.
    const foreign = oldest.find(({ incarnation }) => incarnation !== stamp.incarnation);
    this.#verifiedStamp = foreign ?? oldest.reduce((a, b) => (compareSnapshotStamps(a, b) > 0 ? b : a), stamp);
  }

  /**
   * Newest change stamp (database snapshot) at which the cached value is known to be equal to the data in the database.
   */
  get verifiedStamp(): DatabaseSnapshotStamp {
    return this.#verifiedStamp;
  }

  /**
   * Returns true if this value was read in a newer database snapshot than the other cached value. Returns false if the
   * two values are from different incarnations of the server.
   */
  isNewerThan(other: CachedValueDependencies): boolean {
    return (
      this.readStamp.incarnation === other.readStamp.incarnation &&
      compareSnapshotStamps(this.readStamp, other.readStamp) > 0
    );
  }

  /**
   * Returns true if the cached value is equal to the data in the snapshot of a change report. The report must cover the
   * models of the value, and start at the value's `verifiedStamp` or earlier. Returns false if the snapshot is older
   * than the value.
   */
  isUnchangedInReport(report: ModelsWithChangedRows): boolean {
    if (report.incarnation !== this.#verifiedStamp.incarnation || report.incarnation !== this.readStamp.incarnation)
      return false;
    if (compareSnapshotStamps(report, this.readStamp) < 0) return false;
    if (compareSnapshotStamps(report, this.#verifiedStamp) <= 0) return true;
    if (getSnapshotXmax(this.#verifiedStamp) <= report.removedBelowId) return false;
    for (const model of this.models) if (report.changedModels.has(model)) return false;
    this.#verifiedStamp = { incarnation: report.incarnation, snapshot: report.snapshot };
    return true;
  }
}
