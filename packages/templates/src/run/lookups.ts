import type { Budget } from '../budget.js';
import { FieldError, TemplateRuntimeError } from '../errors.js';
import { compare, isEqual, isTrue, itemsOf, numberOf } from '../values/compare.js';
import { textOf } from '../values/text.js';
import { plain, TemplateObject, Undefined, type Value, RelatedList } from '../values/value.js';

/** Functions that read members of objects, and the limits of that. */
export interface Reading {
  readonly budget: Budget;
  readonly member: (value: Value, name: string) => Value;
}

/** Compares a value of an object with the value of a condition. */
type Lookup = (found: Value, expected: Value, budget: Budget) => boolean;

const onTexts =
  (holds: (text: string, part: string) => boolean, ignoresCase = false): Lookup =>
  (found, expected, budget) => {
    if (plain(found) === null) return false;
    const [text, part] = [textOf(found, budget), textOf(expected, budget)];
    budget.search(text, part);
    return ignoresCase ? holds(text.toLowerCase(), part.toLowerCase()) : holds(text, part);
  };

const ordered =
  (holds: (order: number) => boolean): Lookup =>
  (found, expected, budget) =>
    plain(found) !== null && holds(compare(found, expected, budget));

/** Lookups of conditions by name, with the meaning that Django gives them. Patterns are not supported. */
const lookups: ReadonlyMap<string, Lookup> = new Map<string, Lookup>([
  ['exact', isSame],
  ['iexact', onTexts((text, part) => text === part, true)],
  ['contains', onTexts((text, part) => text.includes(part))],
  ['icontains', onTexts((text, part) => text.includes(part), true)],
  ['startswith', onTexts((text, part) => text.startsWith(part))],
  ['istartswith', onTexts((text, part) => text.startsWith(part), true)],
  ['endswith', onTexts((text, part) => text.endsWith(part))],
  ['iendswith', onTexts((text, part) => text.endsWith(part), true)],
  ['gt', ordered((order) => order > 0)],
  ['gte', ordered((order) => order >= 0)],
  ['lt', ordered((order) => order < 0)],
  ['lte', ordered((order) => order <= 0)],
  ['in', (found, expected, budget) => itemsOf(expected, budget).some((one) => isSame(found, one, budget))],
]);

/**
 * Returns true if an object meets a condition, such as `name__startswith` with a text. Names before the lookup lead
 * over related objects. A list of related objects meets a condition if one of them does.
 *
 * @throws FieldError for a name that the object does not have
 */
export function meets(item: Value, condition: string, expected: Value, reading: Reading): boolean {
  const parts = condition.split('__');
  const last = parts.at(-1) ?? '';
  const isNamed = parts.length > 1 && (lookups.has(last) || last === 'isnull');
  const found = valuesAt(item, isNamed ? parts.slice(0, -1) : parts, reading);
  if (isNamed && last === 'isnull') return isTrue(expected) === found.every((one) => plain(one) === null);
  const lookup = lookups.get(isNamed ? last : 'exact') ?? isSame;
  return found.some((one) => lookup(one, expected, reading.budget));
}

/** Returns the value of a field by its name in conditions: `site_id` is the id of `site`. */
function fieldOf(item: Value, name: string, { member }: Reading): Value {
  const found = member(item, name);
  if (!(found instanceof Undefined)) return found;
  const [, reference] = /^(\w+)_id$/.exec(name) ?? [];
  const target = reference === undefined ? found : member(item, reference);
  if (target instanceof Undefined) throw new FieldError(`Cannot resolve keyword '${name}' into field.`);
  return target instanceof TemplateObject ? (target.member('id') ?? null) : target;
}

/** Returns the value at a path of fields, such as `site__name`; null if an object on the way is missing. */
export function valueAt(item: Value, path: string, reading: Reading): Value {
  return path.split('__').reduce<Value>((value, name) => (value === null ? null : fieldOf(value, name, reading)), item);
}

/** Returns the values at a path of names. */
function valuesAt(item: Value, names: readonly string[], reading: Reading): readonly Value[] {
  let found: readonly Value[] = [item];
  for (const name of names) {
    found = found.flatMap((one) => {
      reading.budget.loop();
      if (one === null) return [null];
      const value = fieldOf(one, name, reading);
      return value instanceof RelatedList ? value.items : [value];
    });
  }
  return found;
}

/** Returns true for equal values. An object is equal to another one with its id, and to its id. */
function isSame(found: Value, expected: Value, budget: Budget): boolean {
  const [id, other] = [idOf(found), idOf(expected)];
  if (id !== null && other !== null) return id === other;
  if (id !== null && (numberOf(expected) === id || expected === String(id))) return true;
  if (plain(found) === null || plain(expected) === null) return plain(found) === plain(expected);
  return isEqual(found, expected, budget);
}

function idOf(value: Value): number | null {
  const id = value instanceof TemplateObject ? (value.fields.entries.get('id') ?? null) : null;
  return typeof id === 'number' ? id : null;
}

/** Compares two values of a field for `order_by`: numbers in texts by their value, and none last. */
export function compareNaturally(left: Value, right: Value, budget: Budget): number {
  budget.tick();
  const [a, b] = [plain(left), plain(right)];
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  // Values of choices and displays of objects are not natural text.
  const isPlain = left instanceof TemplateObject || right instanceof TemplateObject;
  if (typeof a === 'string' && typeof b === 'string' && !isPlain) {
    budget.tick(Math.min(a.length, b.length) / 8);
    return natural.compare(a, b);
  }
  if (a instanceof Undefined || b instanceof Undefined)
    throw new TemplateRuntimeError('Undefined values have no order');
  return compare(a, b, budget);
}

const natural = new Intl.Collator('en', { numeric: true });
