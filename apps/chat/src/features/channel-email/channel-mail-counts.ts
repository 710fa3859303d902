/**
 * Outcomes of emails to channels, counted per recipient. An email that is refused or ignored as a whole is counted
 * once.
 */
const channelMailOutcomes = ['posted', 'repeated', 'ignored', 'refused', 'deferred'] as const;

type ChannelMailOutcome = (typeof channelMailOutcomes)[number];

/** Counts the outcomes of the emails that this process receives for channels. */
export class ChannelMailOutcomeCounter {
  readonly #counts = new Map<ChannelMailOutcome, number>(channelMailOutcomes.map((outcome) => [outcome, 0]));

  countMailOutcome(outcome: ChannelMailOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  /** Returns the counts of emails in the form of a Prometheus metric with the label `outcome`. */
  listOutcomeCounts(): { labels: { outcome: string }; value: number }[] {
    return [...this.#counts].map(([outcome, value]) => ({ labels: { outcome }, value }));
  }
}
