/**
 * Outcomes of mails to channels, counted per recipient. Mails that were refused or ignored as a whole are counted once.
 */
const mailOutcomes = ['posted', 'repeated', 'ignored', 'refused', 'deferred'] as const;

type MailOutcome = (typeof mailOutcomes)[number];

/** Counts the outcomes of the mails that this process receives. */
export class ChannelMailCounts {
  readonly #counts = new Map<MailOutcome, number>(mailOutcomes.map((outcome) => [outcome, 0]));

  add(outcome: MailOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  /** Returns the counts in the form of a metric with the label `outcome`. */
  listCounts(): { labels: { outcome: string }; value: number }[] {
    return [...this.#counts].map(([outcome, value]) => ({ labels: { outcome }, value }));
  }
}
