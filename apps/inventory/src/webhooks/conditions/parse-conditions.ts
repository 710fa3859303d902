import { InvalidConditionsError } from './condition-errors.js';
import { isJsonObject, getJsonKind, type JsonValue, type JsonObject } from './condition-json.js';
import { isConditionOperator, conditionOperators, type ConditionTest } from './condition-operators.js';

/** A parsed condition of an event rule, or a set of conditions that are combined with `and` or `or`. */
export type EventRuleConditions =
  | { readonly kind: 'and' | 'or'; readonly members: readonly EventRuleConditions[] }
  | { readonly kind: 'compare'; readonly attribute: string; readonly negate: boolean; readonly test: ConditionTest }
  | { readonly kind: 'changed' | 'unchanged'; readonly attribute: string; readonly negate: boolean };

const conditionKeys = new Set(['attr', 'value', 'op', 'negate']);
const maxConditionNesting = 50;
const incorrectKeysMessage = 'Incorrect key(s) informed. Please check documentation.';

/**
 * Parses the `conditions` of an event rule (docs/contract/inventory.md 5.6). Returns null for null and `{}`, which mean
 * no conditions. `AND` and `OR` may be in any case.
 *
 * @throws InvalidConditionsError whose message is the field error
 */
export function parseEventRuleConditions(value: JsonValue): EventRuleConditions | null {
  if (value === null || (isJsonObject(value) && Object.keys(value).length === 0)) return null;
  return parseConditionMember(value, 1);
}

function parseConditionMember(value: JsonValue, depth: number): EventRuleConditions {
  if (depth > maxConditionNesting) {
    throw new InvalidConditionsError(`Conditions may be nested at most ${maxConditionNesting} levels deep.`);
  }
  if (!isJsonObject(value)) {
    throw new InvalidConditionsError(`Ruleset must be a dictionary, not ${getPythonClassName(value)}.`);
  }
  const entries = Object.entries(value);
  const [only] = entries;
  return only !== undefined && entries.length === 1
    ? parseConditionSet(only[0], only[1], depth)
    : parseCondition(value);
}

function parseConditionSet(name: string, members: JsonValue, depth: number): EventRuleConditions {
  const kind = name.toLowerCase();
  if (kind !== 'and' && kind !== 'or') {
    throw new InvalidConditionsError("Invalid logic type: must be 'AND' or 'OR'. Please check documentation.");
  }
  if (!Array.isArray(members)) {
    throw new InvalidConditionsError(`The conditions of '${name}' must be a list, not ${getPythonClassName(members)}.`);
  }
  return { kind, members: members.map((member) => parseConditionMember(member, depth + 1)) };
}

function parseCondition(condition: JsonObject): EventRuleConditions {
  const { attr, value, op = 'eq', negate = false } = condition;
  const known = Object.keys(condition).every((key) => conditionKeys.has(key));
  if (!known || typeof attr !== 'string' || typeof negate !== 'boolean') {
    throw new InvalidConditionsError(incorrectKeysMessage);
  }
  if (op === 'changed' || op === 'unchanged') {
    if (value !== undefined && value !== null) throw createInvalidTypeError(op, value);
    return { kind: op, attribute: attr, negate };
  }
  if (value === undefined) throw new InvalidConditionsError(incorrectKeysMessage);
  return { kind: 'compare', attribute: attr, negate, test: prepareConditionTest(op, value) };
}

function prepareConditionTest(op: JsonValue, value: JsonValue): ConditionTest {
  if (typeof op !== 'string' || !isConditionOperator(op)) {
    const names = [...Object.keys(conditionOperators), 'changed', 'unchanged'].join(', ');
    throw new InvalidConditionsError(
      `Unknown operator: ${typeof op === 'string' ? op : JSON.stringify(op)}. Must be one of: ${names}`,
    );
  }
  const kind = getJsonKind(value);
  if (kind === 'object') throw new InvalidConditionsError(`Unsupported value type: ${getPythonClassName(value)}`);
  const { accepts, prepare } = conditionOperators[op];
  if (!accepts.some((accepted) => accepted === kind)) {
    throw createInvalidTypeError(op, value);
  }
  return prepare(value);
}

function createInvalidTypeError(op: string, value: JsonValue): InvalidConditionsError {
  return new InvalidConditionsError(`Invalid type for ${op} operation: ${getPythonClassName(value)}`);
}

/** Returns the name that error messages of the reference API use for the type of a JSON value. */
function getPythonClassName(value: JsonValue): string {
  const names = { string: 'str', boolean: 'bool', null: 'NoneType', list: 'list', object: 'dict' };
  const kind = getJsonKind(value);
  return `<class '${kind === 'number' ? (Number.isInteger(value) ? 'int' : 'float') : names[kind]}'>`;
}
