import { isDeepStrictEqual } from 'node:util';
import { getAttribute } from './attribute-path.js';
import { UndecidableConditionError } from './condition-errors.js';
import type { JsonValue, JsonObject } from './condition-json.js';
import type { RuleConditions } from './parse-conditions.js';

/**
 * Values that event rule conditions refer to: the object as in the payload, and its states before and after the change.
 */
export interface EvaluatedChange {
  readonly data: JsonObject;
  readonly snapshots: { readonly prechange: JsonObject | null; readonly postchange: JsonObject | null };
}

/**
 * Evaluates the conditions of an event rule (docs/contract/inventory.md 5.6). Paths refer to `data`;
 * `snapshots.prechange.…` and `snapshots.postchange.…` refer to the snapshots, unless `data` has a member `snapshots`.
 * Members of a set are evaluated in order until the result is known. An empty `and` is true, an empty `or` false.
 *
 * @throws UndecidableConditionError if a condition that determines the result cannot be evaluated
 */
export function evaluateConditions(conditions: RuleConditions, subject: EvaluatedChange): boolean {
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
  return getAttribute(inSnapshots ? { snapshots: { ...snapshots } } : data, attribute);
}

/** Returns true if an attribute differs between the states before and after a change, or exists in only one of them. */
function hasValueChanged(attribute: string, { snapshots: { prechange, postchange } }: EvaluatedChange): boolean {
  return !isDeepStrictEqual(findSubjectAttribute(prechange, attribute), findSubjectAttribute(postchange, attribute));
}

function findSubjectAttribute(snapshot: JsonObject | null, attribute: string): JsonValue | undefined {
  try {
    return getAttribute(snapshot, attribute);
  } catch (error) {
    if (error instanceof UndecidableConditionError) return undefined;
    throw error;
  }
}
