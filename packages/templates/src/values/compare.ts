import type { Budget } from '../budget.js';
import { TemplateRuntimeError, UndefinedError } from '../errors.js';
import {
  Dict,
  Float,
  isList,
  LazyList,
  plain,
  TemplateObject,
  typeName,
  Undefined,
  type Key,
  type Value,
} from './value.js';

/** Returns the truth of a value as in Python: empty values, zero, none and undefined are false. */
export function isTrue(value: Value): boolean {
  const one = plain(value);
  if (one instanceof Undefined || one === null) return false;
  if (one instanceof Float) return one.value !== 0;
  if (isList(one)) return one.length > 0;
  if (one instanceof Dict) return one.entries.size > 0;
  return typeof one === 'object' ? true : Boolean(one);
}

/** Returns true for two values that are the same stored object, false for two different ones, null for other values. */
export function isSameObject(left: Value, right: Value): boolean | null {
  const [one, other] = [identityOf(left), identityOf(right)];
  return one === null || other === null ? null : one === other;
}

/** Returns the type and id of a stored object; null for other values. */
export function identityOf(value: Value): string | null {
  return value instanceof TemplateObject ? value.identity : null;
}

/**
 * Returns true for equal template values. Lists and dictionaries are compared by content, and stored objects by type
 * and id.
 */
export function isEqual(left: Value, right: Value, budget: Budget): boolean {
  budget.tick();
  const isSame = isSameObject(left, right);
  if (isSame !== null) return isSame;
  const [a, b] = [plain(left), plain(right)];
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== null && y !== null) return x === y;
  if (a instanceof Undefined || b instanceof Undefined) return a instanceof Undefined && b instanceof Undefined;
  if (isList(a) && isList(b)) {
    if (a.length !== b.length) return false;
    return budget.within(() => a.every((item, index) => isEqual(item, b[index] ?? null, budget)));
  }
  if (a instanceof Dict && b instanceof Dict) return sameEntries(a, b, budget);
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) budget.tick(a.length / 64);
  return a === b;
}

function sameEntries(a: Dict, b: Dict, budget: Budget): boolean {
  if (a.entries.size !== b.entries.size) return false;
  return budget.within(() =>
    [...a.entries].every(([key, item]) => {
      const other = b.entries.get(key);
      return other !== undefined && isEqual(item, other, budget);
    }),
  );
}

/**
 * Compares two template values for sorting. Returns a negative number if the left one sorts first, and a positive
 * number if the right one does.
 *
 * @throws TemplateRuntimeError for incomparable values
 */
export function compare(left: Value, right: Value, budget: Budget): number {
  budget.tick();
  const [a, b] = [plain(left), plain(right)];
  for (const one of [a, b]) if (one instanceof Undefined) throw new UndefinedError(one.reason);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== null && y !== null) return x - y;
  if (typeof a === 'string' && typeof b === 'string') {
    budget.tick(Math.min(a.length, b.length) / 64);
    const found = order(...sortKeys([left, a], [right, b]));
    const [one, other] = [identityOf(left), identityOf(right)];
    // Different objects with equal texts have an order, so that groups of them stay apart.
    return found !== 0 || one === null || other === null ? found : order(one, other);
  }
  if (isList(a) && isList(b)) return budget.within(() => compareLists(a, b, budget));
  throw new TemplateRuntimeError(`'<' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`);
}

function compareLists(a: readonly Value[], b: readonly Value[], budget: Budget): number {
  for (const [index, item] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const found = compare(item, other, budget);
    if (found !== 0) return found;
  }
  return a.length - b.length;
}

/** Returns the texts as which two values with text forms are sorted. One of them may be a plain text. */
function sortKeys([left, a]: readonly [Value, string], [right, b]: readonly [Value, string]): [string, string] {
  const one = left instanceof TemplateObject ? left : null;
  const other = right instanceof TemplateObject ? right : null;
  const [x, y] = [(one ?? other)?.sortKey(a) ?? null, (other ?? one)?.sortKey(b) ?? null];
  return x === null || y === null ? [a, b] : [x, y];
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns a template value as a number, with true as 1 and false as 0; null if it is not a number. */
export function numberOf(value: Value): number | null {
  const one = plain(value);
  if (typeof one === 'number') return one;
  if (typeof one === 'boolean') return one ? 1 : 0;
  return one instanceof Float ? one.value : null;
}

/** Returns true if a container (list, dictionary or text) contains a value. */
export function contains(container: Value, element: Value, budget: Budget): boolean {
  const one = plain(container);
  if (one instanceof Undefined) throw new UndefinedError(one.reason);
  if (typeof one === 'string') {
    const part = plain(element);
    if (typeof part === 'string') {
      budget.search(one, part);
      return one.includes(part);
    }
    throw new TemplateRuntimeError(`'in <string>' requires string as left operand, not ${typeName(part)}`);
  }
  if (one instanceof Dict) return one.entries.has(keyOf(element));
  if (one instanceof LazyList) throw one.refusal();
  if (!isList(one)) throw new TemplateRuntimeError(`argument of type '${typeName(one)}' is not iterable`);
  return one.some((item) => {
    budget.loop();
    return isEqual(item, element, budget);
  });
}

/**
 * Returns a template value as a dictionary key.
 *
 * @throws TemplateRuntimeError for a value that cannot be a key
 */
export function keyOf(value: Value): Key {
  const one = plain(value);
  if (one instanceof Float) return one.value;
  if (one instanceof Undefined) throw new UndefinedError(one.reason);
  if (one === null || typeof one !== 'object') return one;
  throw new TemplateRuntimeError(`unhashable type: '${typeName(one)}'`);
}

/** Returns the items that a loop iterates over: items of a list, keys of a dictionary, characters of a text. */
export function itemsOf(value: Value, budget: Budget): readonly Value[] {
  const one = plain(value);
  if (isList(one)) return one;
  if (one instanceof Undefined) return [];
  if (one instanceof Dict) {
    budget.allocate(one.entries.size);
    return [...one.entries.keys()];
  }
  if (typeof one === 'string') {
    budget.allocate(one.length * 8);
    return Array.from(one);
  }
  if (one instanceof LazyList) throw one.refusal();
  throw new TemplateRuntimeError(`'${typeName(one)}' object is not iterable`);
}
