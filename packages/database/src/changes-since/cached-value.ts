import { type ChangeReport, type ChangeStamp, compareChangeStamps, getSnapshotXmax } from './change-stamp.js';

/** Models that a cached value depends on, with the change stamps at which their data was read and verified. */
export interface CachedValueSource {
  readonly models: ReadonlySet<number>;
  /** Change stamp at which the data was verified as unchanged. This stamp is never older than {@link readStamp}. */
  readonly verifiedStamp: ChangeStamp;
  /** Change stamp at which the data was read. */
  readonly readStamp: ChangeStamp;
}

/** A cached value, with the range of database snapshots in which the value equals the data. */
export class CachedValue<T> implements CachedValueSource {
  readonly models: ReadonlySet<number>;
  readonly readStamp: ChangeStamp;
  #verifiedStamp: ChangeStamp;

  /**
   * @param stamp read before the first statement that read the value, or in its repeatable read transaction
   * @param inputs other cached values that were used to make this one, whose models and stamps count as well
   */
  constructor(
    readonly value: T,
    models: Iterable<number>,
    stamp: ChangeStamp,
    inputs: readonly CachedValueSource[] = [],
  ) {
    this.models = new Set([...models, ...inputs.flatMap((input) => [...input.models])]);
    const newest = inputs.map((input) => input.readStamp).filter((made) => compareChangeStamps(made, stamp) > 0);
    this.readStamp = newest.reduce((a, b) => (compareChangeStamps(a, b) < 0 ? b : a), stamp);
    const oldest = inputs.map((input) => input.verifiedStamp);
    // A stamp of another incarnation of the server never matches a report again.
    const foreign = oldest.find(({ incarnation }) => incarnation !== stamp.incarnation);
    this.#verifiedStamp = foreign ?? oldest.reduce((a, b) => (compareChangeStamps(a, b) > 0 ? b : a), stamp);
  }

  /** Newest change stamp at which the value is known to equal the data. */
  get verifiedStamp(): ChangeStamp {
    return this.#verifiedStamp;
  }

  /**
   * Returns true if this value was read in a newer database snapshot than the other, in the same incarnation of the
   * server.
   */
  isNewerThan(other: CachedValueSource): boolean {
    return (
      this.readStamp.incarnation === other.readStamp.incarnation &&
      compareChangeStamps(this.readStamp, other.readStamp) > 0
    );
  }

  /**
   * Returns true if the value equals the state in the report's snapshot. The report must cover the value's models and
   * start at its `verified` stamp or earlier. Returns false if the snapshot is older than the value.
   */
  isUnchangedInReport(report: ChangeReport): boolean {
    if (report.incarnation !== this.#verifiedStamp.incarnation || report.incarnation !== this.readStamp.incarnation)
      return false;
    if (compareChangeStamps(report, this.readStamp) < 0) return false;
    if (compareChangeStamps(report, this.#verifiedStamp) <= 0) return true;
    if (getSnapshotXmax(this.#verifiedStamp) <= report.removedBelowId) return false;
    for (const model of this.models) if (report.changedModels.has(model)) return false;
    this.#verifiedStamp = { incarnation: report.incarnation, snapshot: report.snapshot };
    return true;
  }
}
