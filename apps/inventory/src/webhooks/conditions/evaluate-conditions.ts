import { isDeepStrictEqual } from 'node:util';
import { getAttributeValue } from './attribute-path.js';
import { UndecidableConditionError } from './condition-errors.js';
import type { JsonValue, JsonObject } from './condition-json.js';
import type { EventRuleConditions } from './parse-conditions.js';

/**
 * Values to which event rule conditions refer: the object as in the payload (`data`), and the object's states before
 * and after the change.
 */
export interface EvaluatedChange {
  readonly data: JsonObject;
  readonly snapshots: { readonly prechange: JsonObject | null; readonly postchange: JsonObject | null };
}

/**
 * Returns true if a changed object meets the conditions of an event rule (docs/contract/inventory.md 5.6). Paths refer
 * to `data`; `snapshots.prechange.…` and `snapshots.postchange.…` refer to the snapshots, unless `data` has a member
 * `snapshots`. The conditions of a set are evaluated in order until the result is certain. An empty `and` set is true,
 * and an empty `or` set is false.
 *
 * @throws UndecidableConditionError if a condition that determines the result cannot be evaluated
 */
export function evaluateConditions(conditions: EventRuleConditions, subject: EvaluatedChange): boolean {
  switch (conditions.kind) {
    case 'and':
      return conditions.members.every((member) => evaluateConditions(member, subject));
    case 'or':
      return conditions.members.some((member) => evaluateConditions(member, subject));
    case 'compare':
      return conditions.test(getConditionValue(conditions.attribute, subject)) !== conditions.negate;
    default:
      return (hasValueChanged(conditions.attribute, subject) === (conditions.kind === 'changed')) !== conditions.negate;
  }
}

function getConditionValue(attribute: string, { data, snapshots }: EvaluatedChange): JsonValue {
  const inSnapshots = attribute.startsWith('snapshots.') && !Object.hasOwn(data, 'snapshots');
  return getAttributeValue(inSnapshots ? { snapshots: { ...snapshots } } : data, attribute);
}

/**
 * Returns true if the value of an attribute differs between the states before and after a change. Also returns true if
 * the attribute exists in only one of these states.
 */
function hasValueChanged(attribute: string, { snapshots: { prechange, postchange } }: EvaluatedChange): boolean {
  return !isDeepStrictEqual(findSubjectAttribute(prechange, attribute), findSubjectAttribute(postchange, attribute));
}

function findSubjectAttribute(snapshot: JsonObject | null, attribute: string): JsonValue | undefined {
  try {
    return getAttributeValue(snapshot, attribute);
  } catch (error) {
    if (error instanceof UndecidableConditionError) return undefined;
    throw error;
  }
}
