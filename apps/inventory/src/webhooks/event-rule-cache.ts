import type { QueueTx } from '@switchboard/queue';
import type { InventoryChange } from '../changes/topic.js';
import { listActingRules, RuleMatcher, type EventRule, type RuleLogger } from './event-rules.js';

/** Rules that match a change, according to this process. */
export interface KnownMatches {
  /** Value of `event_rules_version` for which the matches are complete. */
  readonly version: string;
  readonly rules: readonly EventRule[];
}

/**
 * Event rules as last read by this process. They can be outdated: statements that use them compare their version in the
 * database.
 */
export class EventRuleCache {
  #known: { readonly version: string; readonly matcher: RuleMatcher } | null = null;
  #reading: Promise<void> | null = null;

  constructor(
    private readonly database: QueueTx,
    private readonly log: RuleLogger,
  ) {}

  /** Returns the matching rules; null until they were read. */
  match(change: InventoryChange): KnownMatches | null {
    return this.#known && { version: this.#known.version, rules: this.#known.matcher.match(change) };
  }

  /** Reads the rules again, unless a read is running. After a failure the next use reads them. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      const { version, rules } = await listActingRules(this.database);
      if (version !== this.#known?.version) this.#known = { version, matcher: new RuleMatcher(rules, this.log) };
    } catch (error) {
      this.log.warn({ err: error }, 'event rules could not be read');
    }
  }
}
