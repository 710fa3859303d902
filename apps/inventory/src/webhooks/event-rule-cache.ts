import type { QueueTx } from '@switchboard/queue';
import type { InventoryChange } from '../changes/inventory-change-message.js';
import { listActingRules, EventRuleMatcher, type EventRule, type RuleLogger } from './event-rules.js';

/** Cached event rules that match a change, and the version of the cache. */
export interface CachedRuleMatches {
  /** Value of the sequence `event_rules_version` when the event rules were read. */
  readonly version: string;
  readonly rules: readonly EventRule[];
}

/**
 * Event rules as this process last read them. The rules can be outdated. Statements that use cached rules therefore
 * compare their version with the version in the database.
 */
export class EventRuleCache {
  #known: { readonly version: string; readonly matcher: EventRuleMatcher } | null = null;
  #reading: Promise<void> | null = null;

  constructor(
    private readonly database: QueueTx,
    private readonly log: RuleLogger,
  ) {}

  /** Returns the cached event rules that match a change, or null if no rules were read yet. */
  match(change: InventoryChange): CachedRuleMatches | null {
    return this.#known && { version: this.#known.version, rules: this.#known.matcher.listMatchingRules(change) };
  }

  /**
   * Reads the event rules, unless a read is running. After a failed read, the next call reads the rules again. Never
   * rejects.
   */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      const { version, rules } = await listActingRules(this.database);
      if (version !== this.#known?.version) this.#known = { version, matcher: new EventRuleMatcher(rules, this.log) };
    } catch (error) {
      this.log.warn({ err: error }, 'event rules could not be read');
    }
  }
}
