import { type ChangeReport, type ChangeStamp, compareStamps, xmaxOf } from './change-stamp.js';

/** Models and stamp of an input of a response. */
export interface RememberedInput {
  readonly models: ReadonlySet<number>;
  /** A stamp at which the value was current, and not after the first stamp at which it was read. */
  readonly verified: ChangeStamp;
  /** The stamp at which it was read. */
  readonly made: ChangeStamp;
}

/** A value in the memory of a process, and the span of snapshots for which it is exact. */
export class Remembered<T> implements RememberedInput {
  readonly models: ReadonlySet<number>;
  readonly made: ChangeStamp;
  #verified: ChangeStamp;

  /**
   * @param stamp read before the first statement that read the value, or in its repeatable read transaction
   * @param inputs values in memory from which this one was made too: their models and stamps count as well
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
    // A stamp of another life of the server never matches a report again.
    const foreign = oldest.find(({ incarnation }) => incarnation !== stamp.incarnation);
    this.#verified = foreign ?? oldest.reduce((a, b) => (compareStamps(a, b) > 0 ? b : a), stamp);
  }

  /** The newest stamp for which the value is known to be exact. */
  get verified(): ChangeStamp {
    return this.#verified;
  }

  /** Returns true if the value was made in a newer snapshot than the other one, in the same life of the server. */
  isNewerThan(other: RememberedInput): boolean {
    return this.made.incarnation === other.made.incarnation && compareStamps(this.made, other.made) > 0;
  }

  /**
   * Returns true if the value is exactly what the snapshot of the report shows. The report must be one for this value's
   * models, since its `verified` stamp or an older one. A snapshot older than the value gets false.
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
