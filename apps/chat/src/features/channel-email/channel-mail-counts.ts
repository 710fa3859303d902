/**
 * Outcomes of emails to channels, counted per recipient. An email that is refused or ignored as a whole is counted
 * once.
 */
const mailOutcomes = ['posted', 'repeated', 'ignored', 'refused', 'deferred'] as const;

type MailOutcome = (typeof mailOutcomes)[number];

/** Counts the outcomes of the emails that this process receives for channels. */
export class ChannelMailCounts {
  readonly #counts = new Map<MailOutcome, number>(mailOutcomes.map((outcome) => [outcome, 0]));

  add(outcome: MailOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  /** Returns the counts of emails in the form of a Prometheus metric with the label `outcome`. */
  listCounts(): { labels: { outcome: string }; value: number }[] {
    return [...this.#counts].map(([outcome, value]) => ({ labels: { outcome }, value }));
  }
}
