import { type ChangeReport, type ChangeStamp, compareStamps, xmaxOf } from './change-stamp.js';

/** Models that a cached value depends on, with the change stamps at which their data was read and verified. */
export interface RememberedInput {
  readonly models: ReadonlySet<number>;
  /** Change stamp at which the data was verified as unchanged. This stamp is never older than {@link made}. */
  readonly verified: ChangeStamp;
  /** Change stamp at which the data was read. */
  readonly made: ChangeStamp;
}

/** A cached value, with the range of database snapshots in which the value equals the data. */
export class Remembered<T> implements RememberedInput {
  readonly models: ReadonlySet<number>;
  readonly made: ChangeStamp;
  #verified: ChangeStamp;

  /**
   * @param stamp read before the first statement that read the value, or in its repeatable read transaction
   * @param inputs other cached values that were used to make this one, whose models and stamps count as well
   */
  constructor(
    readonly value: T,
    models: Iterable<number>,
    stamp: ChangeStamp,
    inputs: readonly RememberedInput[] = [],
  ) {
    this.models = new Set([...models, ...inputs.flatMap((input) => [...input.models])]);
    const newest = inputs.map((input) => input.made).filter((made) => compareStamps(made, stamp) > 0);
    this.made = newest.reduce((a, b) => (compareStamps(a, b) < 0 ? b : a), stamp);
    const oldest = inputs.map((input) => input.verified);
    // A stamp of another incarnation of the server never matches a report again.
    const foreign = oldest.find(({ incarnation }) => incarnation !== stamp.incarnation);
    this.#verified = foreign ?? oldest.reduce((a, b) => (compareStamps(a, b) > 0 ? b : a), stamp);
  }

  /** Newest change stamp at which the value is known to equal the data. */
  get verified(): ChangeStamp {
    return this.#verified;
  }

  /**
   * Returns true if this value was read in a newer database snapshot than the other, in the same incarnation of the
   * server.
   */
  isNewerThan(other: RememberedInput): boolean {
    return this.made.incarnation === other.made.incarnation && compareStamps(this.made, other.made) > 0;
  }

  /**
   * Returns true if the value equals the state in the report's snapshot. The report must cover the value's models and
   * start at its `verified` stamp or earlier. Returns false if the snapshot is older than the value.
   */
  isExactIn(report: ChangeReport): boolean {
    if (report.incarnation !== this.#verified.incarnation || report.incarnation !== this.made.incarnation) return false;
    if (compareStamps(report, this.made) < 0) return false;
    if (compareStamps(report, this.#verified) <= 0) return true;
    if (xmaxOf(this.#verified) <= report.sweptBelow) return false;
    for (const model of this.models) if (report.changed.has(model)) return false;
    this.#verified = { incarnation: report.incarnation, snapshot: report.snapshot };
    return true;
  }
}
