import type { QueueTx } from '@switchboard/queue';
import type { InventoryChange } from '../changes/inventory-change-message.js';
import { listActiveEventRules, EventRuleMatcher, type EventRule, type RuleLogger } from './event-rules.js';

/** The cached event rules that match a change, and the version of the event rules in the cache. */
export interface CachedRuleMatches {
  /**
   * Version of the cached event rules: the value of the database sequence `event_rules_version` when the rules were
   * read.
   */
  readonly version: string;
  readonly rules: readonly EventRule[];
}

/**
 * Cache of the event rules that this process has read. The cached rules can be outdated. Therefore SQL statements that
 * use cached rules compare the version of the cached rules with the version in the database.
 */
export class EventRuleCache {
  #known: { readonly version: string; readonly matcher: EventRuleMatcher } | null = null;
  #reading: Promise<void> | null = null;

  constructor(
    private readonly database: QueueTx,
    private readonly log: RuleLogger,
  ) {}

  /** Returns the cached event rules that match a change, or null if the process has not read the rules yet. */
  findMatchingRules(change: InventoryChange): CachedRuleMatches | null {
    return this.#known && { version: this.#known.version, rules: this.#known.matcher.listMatchingRules(change) };
  }

  /**
   * Reads the event rules from the database, unless a read is already running. After a failed read, the next call reads
   * the rules again. The returned promise never rejects.
   */
  refreshEventRules(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      const { version, rules } = await listActiveEventRules(this.database);
      if (version !== this.#known?.version) this.#known = { version, matcher: new EventRuleMatcher(rules, this.log) };
    } catch (error) {
      this.log.warn({ err: error }, 'event rules could not be read');
    }
  }
}
