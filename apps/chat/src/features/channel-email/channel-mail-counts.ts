/** Outcomes of mails to channels: for each recipient, except those that were refused or ignored as a whole. */
const outcomes = ['posted', 'repeated', 'ignored', 'refused', 'deferred'] as const;

type Outcome = (typeof outcomes)[number];

/** Counts what becomes of the mails that this process receives. */
export class ChannelMailCounts {
  readonly #counts = new Map<Outcome, number>(outcomes.map((outcome) => [outcome, 0]));

  add(outcome: Outcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  /** Returns the counts in the form of a metric with the label `outcome`. */
  readings(): { labels: { outcome: string }; value: number }[] {
    return [...this.#counts].map(([outcome, value]) => ({ labels: { outcome }, value }));
  }
}
