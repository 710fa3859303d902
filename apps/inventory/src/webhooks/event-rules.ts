import type { QueueTx } from '@switchboard/queue';
import type { InventoryChange } from '../changes/inventory-change-message.js';
import { isJobEventName } from './webhook-event-context.js';
import { createHasActionObjectSql, createDeliveryReceiverSql } from '../destinations/index.js';
import {
  evaluateConditions,
  InvalidConditionsError,
  parseEventRuleConditions,
  UndecidableConditionError,
  type EventRuleConditions,
  type EvaluatedChange,
  type JsonValue,
  type JsonObject,
} from './conditions/index.js';

/** An enabled event rule whose action object exists. Its ids are texts. */
export interface EventRule {
  readonly id: string;
  readonly name: string;
  /** Models (`<app>.<model>`) to whose changes the event rule applies. */
  readonly objectTypes: readonly string[];
  /** Types of events to which the event rule applies, such as `object_created`. */
  readonly eventTypes: readonly string[];
  readonly conditions: JsonValue;
  /** Type of the action that the event rule performs, such as `webhook`. */
  readonly actionType: string;
  readonly actionObjectId: string;
  /** Text that identifies the receiver of the event rule's deliveries. Null if the rule's action has no receiver. */
  readonly receiver: string | null;
}

/** Logger that records event rules that cannot be evaluated. */
export interface RuleLogger {
  warn(fields: object, message: string): void;
}

const EVENT_RULE_COLUMNS_SQL = `r.id::text AS "id", r.name, r.object_types AS "objectTypes", r.event_types AS "eventTypes", r.conditions,
  r.action_type AS "actionType", r.action_object_id::text AS "actionObjectId",
  ${createDeliveryReceiverSql('r.action_type', 'r.action_object_id')} AS receiver`;
const CAN_EVENT_RULE_ACT_SQL = `r.enabled AND ${createHasActionObjectSql('r')}`;

const SELECT_CANDIDATE_RULES_SQL = `
  SELECT ${EVENT_RULE_COLUMNS_SQL} FROM extras_eventrule r
   WHERE r.object_types && $1::text[] AND r.event_types && $2::text[] AND ${CAN_EVENT_RULE_ACT_SQL}
   ORDER BY r.name, r.id`;

const SELECT_MODELS_WITH_RULES_SQL = `
  SELECT DISTINCT o.type FROM extras_eventrule r, unnest(r.object_types) AS o (type)
   WHERE r.object_types && $1::text[] AND ${CAN_EVENT_RULE_ACT_SQL}`;

// A single statement, so that rules and version are consistent.
const SELECT_ALL_RULES_SQL = `
  SELECT v.version::text AS version, r.* FROM event_rules_version v
    LEFT JOIN (SELECT ${EVENT_RULE_COLUMNS_SQL} FROM extras_eventrule r WHERE ${CAN_EVENT_RULE_ACT_SQL}) r ON true
   ORDER BY r.name, r.id`;

/**
 * Returns the event rules whose object types and event types match at least one of the changes. The result is in the
 * order in which rules are applied (docs/contract/inventory.md 5.2).
 */
export async function listCandidateRules(tx: QueueTx, changes: readonly InventoryChange[]): Promise<EventRule[]> {
  const models = [...new Set(changes.map((change) => change.model))];
  const events = [...new Set(changes.map(getEventType))];
  const { rows } = await tx.query<EventRule>(SELECT_CANDIDATE_RULES_SQL, [models, events]);
  return rows;
}

/**
 * Returns those of the given keys of changed objects, `<app>.<model>:<id>`, whose model has an enabled event rule with
 * an action object.
 */
export async function selectObjectKeysWithRules(keys: readonly string[], tx: QueueTx): Promise<ReadonlySet<string>> {
  const modelOf = (key: string): string => key.slice(0, key.lastIndexOf(':'));
  const models = [...new Set(keys.map(modelOf))];
  const { rows } = await tx.query<{ type: string }>(SELECT_MODELS_WITH_RULES_SQL, [models]);
  const ruled = new Set(rows.map(({ type }) => type));
  return new Set(keys.filter((key) => ruled.has(modelOf(key))));
}

/**
 * Returns all enabled event rules that have an action object, in the order in which rules are applied. Also returns the
 * version number of this set of rules.
 */
export async function listActiveEventRules(tx: QueueTx): Promise<{ version: string; rules: EventRule[] }> {
  const { rows } = await tx.query<{ version: string } & { [K in keyof EventRule]: EventRule[K] | null }>(
    SELECT_ALL_RULES_SQL,
  );
  const rules = rows.filter((row): row is { version: string } & EventRule => row.id !== null);
  return { version: rows[0]?.version ?? '', rules };
}

/**
 * Finds the event rules that match a change. Conditions are parsed once, not again for each change. A rule whose
 * conditions are invalid or cannot be evaluated does not match, and is logged (docs/contract/inventory.md 5.6).
 */
export class EventRuleMatcher {
  readonly #rules: readonly EventRule[];
  readonly #log: RuleLogger;
  readonly #prepared = new Map<EventRule, EventRuleConditions | 'none' | 'unreadable'>();

  constructor(rules: readonly EventRule[], log: RuleLogger) {
    this.#rules = rules;
    this.#log = log;
  }

  /** Returns the event rules that match a change, in the order in which rules are applied. */
  listMatchingRules(change: InventoryChange): EventRule[] {
    return this.#rules.filter(
      (rule) =>
        rule.objectTypes.includes(change.model) &&
        rule.eventTypes.includes(getEventType(change)) &&
        this.#conditionsHold(rule, change),
    );
  }

  #conditionsHold(rule: EventRule, change: InventoryChange): boolean {
    const conditions = this.#prepare(rule);
    if (conditions === 'none' || conditions === 'unreadable') return conditions === 'none';
    try {
      return evaluateConditions(conditions, createConditionSubject(change));
    } catch (error) {
      if (!(error instanceof UndecidableConditionError)) throw error;
      const object = { objectType: change.model, objectId: change.id };
      this.#log.warn(
        { rule: rule.name, ...object, reason: error.message },
        'conditions of an event rule could not be evaluated',
      );
      return false;
    }
  }

  #prepare(rule: EventRule): EventRuleConditions | 'none' | 'unreadable' {
    const known = this.#prepared.get(rule);
    if (known !== undefined) return known;
    const prepared = this.#parse(rule);
    this.#prepared.set(rule, prepared);
    return prepared;
  }

  #parse(rule: EventRule): EventRuleConditions | 'none' | 'unreadable' {
    try {
      return parseEventRuleConditions(rule.conditions) ?? 'none';
    } catch (error) {
      if (!(error instanceof InvalidConditionsError)) throw error;
      this.#log.warn({ rule: rule.name, reason: error.message }, 'conditions of an event rule could not be parsed');
      return 'unreadable';
    }
  }
}

/**
 * Returns the type of a change's event, such as `object_created` or `job_failed`. Event rules and notifications use the
 * same names of types.
 */
export function getEventType(change: InventoryChange): string {
  return isJobEventName(change.event) ? change.event : `object_${change.event}`;
}

/**
 * Returns the values of a change to which the conditions of event rules refer. The casts in this function are safe
 * because the payload was parsed from JSON.
 */
function createConditionSubject({ data, snapshots: { prechange, postchange } }: InventoryChange): EvaluatedChange {
  return {
    data: data as JsonObject,
    snapshots: { prechange: prechange as JsonObject | null, postchange: postchange as JsonObject | null },
  };
}
