import type { Budget } from '../budget.js';
import { FieldError, TemplateRuntimeError } from '../errors.js';
import { compare, identityOf, isEqual, isSameObject, isTrue, itemsOf, numberOf } from '../values/compare.js';
import { textOf } from '../values/text.js';
import { plain, TemplateObject, Undefined, type Value } from '../values/value.js';

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

const [least, most] = [ordered((order) => order >= 0), ordered((order) => order <= 0)];

const range: Lookup = (found, expected, budget) => {
  const [from = null, to = null] = itemsOf(expected, budget);
  return least(found, from, budget) && most(found, to, budget);
};

/** Lookups of conditions by name, with the meaning that Django gives them. */
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
  ['gte', least],
  ['lt', ordered((order) => order < 0)],
  ['lte', most],
  ['range', range],
  ['in', (found, expected, budget) => itemsOf(expected, budget).some((one) => isSame(found, one, budget))],
  ['isnull', (found, expected) => (plain(found) === null) === isTrue(expected)],
]);

/** Lookups of the reference server with patterns, which could take long. */
const refused = new Set(['regex', 'iregex']);

/** A parsed condition: the names of fields that lead to a value, and the test of the value. */
export interface Condition {
  readonly names: readonly string[];
  readonly holds: (found: Value) => boolean;
}

/**
 * Parses a condition such as `site__name__startswith` with a text. A name that begins with `net_` compares addresses.
 *
 * @throws FieldError for a lookup with a pattern
 */
export function conditionOf(condition: string, expected: Value, budget: Budget): Condition {
  const parts = condition.split('__');
  const last = parts.at(-1) ?? '';
  if (parts.length > 1 && refused.has(last)) throw new FieldError(`Lookups with patterns are not supported: ${last}`);
  const lookup = parts.length > 1 ? lookupOf(last) : undefined;
  const found = lookup ?? isSame;
  return {
    names: lookup === undefined ? parts : parts.slice(0, -1),
    holds: (value) => found(value, expected, budget),
  };
}

function lookupOf(name: string): Lookup | undefined {
  if (!name.startsWith('net_')) return lookups.get(name);
  return (found, expected, budget) => found instanceof TemplateObject && found.compare(name, textOf(expected, budget));
}

/** Returns true for equal values. An object is equal to another one with its type and id, and to its id. */
function isSame(found: Value, expected: Value, budget: Budget): boolean {
  const same = isSameObject(found, expected);
  if (same !== null) return same;
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
  // Values of choices are not natural text, and addresses have an order that suits them.
  if (typeof a === 'string' && typeof b === 'string' && isNatural(left) && isNatural(right)) {
    budget.tick(Math.min(a.length, b.length) / 8);
    return natural.compare(a, b) || natural.compare(identityOf(left) ?? '', identityOf(right) ?? '');
  }
  if (a instanceof Undefined || b instanceof Undefined)
    throw new TemplateRuntimeError('Undefined values have no order');
  return compare(left, right, budget);
}

function isNatural(value: Value): boolean {
  return !(value instanceof TemplateObject) || value.identity !== null;
}

const natural = new Intl.Collator('en', { numeric: true });
