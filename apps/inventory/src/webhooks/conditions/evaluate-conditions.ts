import { isDeepStrictEqual } from 'node:util';
import { getAttribute } from './attribute-path.js';
import { UndecidableConditionError } from './errors.js';
import type { Json, JsonObject } from './json.js';
import type { Conditions } from './parse-conditions.js';

/** Subject of conditions: the object as the payload shows it, and its states around the change. */
export interface ConditionSubject {
  readonly data: JsonObject;
  readonly snapshots: { readonly prechange: JsonObject | null; readonly postchange: JsonObject | null };
}

/**
 * Decides conditions (docs/contract/inventory.md 5.6). Paths lead into `data`; `snapshots.prechange.…` and
 * `snapshots.postchange.…` lead into the snapshots unless `data` has a member of that name. Members of a set are
 * decided in order and only as far as needed; `and` of none is true, `or` of none false.
 *
 * @throws UndecidableConditionError when a condition that is needed cannot be decided, negated or not.
 */
export function evaluateConditions(conditions: Conditions, subject: ConditionSubject): boolean {
  switch (conditions.kind) {
    case 'and':
      return conditions.members.every((member) => evaluateConditions(member, subject));
    case 'or':
      return conditions.members.some((member) => evaluateConditions(member, subject));
    case 'compare':
      return conditions.test(getValue(conditions.attribute, subject)) !== conditions.negate;
    default:
      return (hasChanged(conditions.attribute, subject) === (conditions.kind === 'changed')) !== conditions.negate;
  }
}

function getValue(attribute: string, { data, snapshots }: ConditionSubject): Json {
  const inSnapshots = attribute.startsWith('snapshots.') && !Object.hasOwn(data, 'snapshots');
  return getAttribute(inSnapshots ? { snapshots: { ...snapshots } } : data, attribute);
}

/** An attribute that one side lacks, or a side that is absent (before a creation, after a deletion), is a change. */
function hasChanged(attribute: string, { snapshots: { prechange, postchange } }: ConditionSubject): boolean {
  return !isDeepStrictEqual(find(prechange, attribute), find(postchange, attribute));
}

function find(snapshot: JsonObject | null, attribute: string): Json | undefined {
  try {
    return getAttribute(snapshot, attribute);
  } catch (error) {
    if (error instanceof UndecidableConditionError) return undefined;
    throw error;
  }
}
