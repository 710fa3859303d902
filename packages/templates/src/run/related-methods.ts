import { DoesNotExist, FieldError, MultipleObjectsReturned, SecurityError, TemplateRuntimeError } from '../errors.js';
import { isEqual, isTrue, keyOf } from '../values/compare.js';
import { textOf } from '../values/text.js';
import { type Arguments, Callable, Dict, isList, RelatedList, TemplateObject, type Value } from '../values/value.js';
import { fieldTree, meets, type Reading, rowsAt, valueAt } from './field-paths.js';
import { compareNaturally, conditionOf } from './lookups.js';

/** A call of a method of a list of related objects. */
interface Call extends Arguments, Reading {
  readonly list: RelatedList;
}

type RelatedMethod = (call: Call) => Value;

const same: RelatedMethod = ({ list }) => list;

/**
 * Methods of lists of related objects, with the names and results of the reference server. They work on the objects
 * that have been read: a list is read once, however many conditions a template has.
 */
const methods: ReadonlyMap<string, RelatedMethod> = new Map<string, RelatedMethod>([
  ...['all', 'iterator', 'select_related', 'prefetch_related', 'only', 'defer', 'using'].map(
    (name) => [name, same] as const,
  ),
  ['none', ({ list }) => list.pick([])],
  ['distinct', distinct],
  ['filter', (call) => (hasConditions(call) ? call.list.pick(matching(call)) : call.list)],
  ['exclude', (call) => (hasConditions(call) ? call.list.pick(notMatching(call)) : call.list)],
  ['order_by', (call) => call.list.pick(ordered(call))],
  ['reverse', (call) => call.list.pick(places(call).reverse())],
  ['first', ({ list }) => list.items[0] ?? null],
  ['last', ({ list }) => list.items.at(-1) ?? null],
  ['earliest', (call) => outermost(call, 0)],
  ['latest', (call) => outermost(call, -1)],
  ['count', ({ list }) => list.length],
  ['exists', ({ list }) => list.length > 0],
  ['get', (call) => single(call)],
  ['contains', ({ list, positional: [one = null], budget }) => list.items.some((item) => isEqual(item, one, budget))],
  ['in_bulk', (call) => inBulk(call)],
  ['values', (call) => rows(call, namesOf(call), (names, values) => named(names, values))],
  ['values_list', (call) => valuesList(call)],
  ['names', (call) => rows(call, ['name'], (_, [name = null]) => name)],
  ['slugs', (call) => rows(call, ['slug'], (_, [slug = null]) => slug)],
]);

/** Methods of the reference server that change data. Templates must not call them. */
const unsafe = new Set(
  'add bulk_create bulk_update clear create delete get_or_create raw refresh_from_db remove save set snapshot update update_or_create'.split(
    ' ',
  ),
);

/** Returns true for the name of a method of lists of related objects. */
export function isRelatedMethod(name: string): boolean {
  return methods.has(name);
}

/** Returns a method of a list of related objects; undefined if it has none of that name. */
export function relatedMethod(list: RelatedList, name: string, reading: Reading): Value | undefined {
  const found = methods.get(name);
  if (found !== undefined) return new Callable(name, (given) => found({ ...given, ...reading, list }));
  return unsafeMethod(name);
}

/** Returns a method that refuses to be called, for names under which the reference server changes data. */
export function unsafeMethod(name: string): Value | undefined {
  if (!unsafe.has(name)) return undefined;
  return new Callable(name, () => {
    throw new SecurityError(`<bound method ${name}> is not safely callable`);
  });
}

/** Returns the indexes of all objects of a list. */
function places({ list, budget }: Call): number[] {
  budget.shift(list.objects.length);
  return [...list.objects.keys()];
}

function hasConditions({ named: conditions, positional }: Call): boolean {
  if (positional.length > 0) throw new TemplateRuntimeError('Conditions are given by name');
  return conditions.size > 0;
}

function conditionsOf({ named: conditions, budget }: Call) {
  return [...conditions].map(([name, expected]) => {
    const end = conditionOf(name, expected, budget);
    return { names: end.names, end };
  });
}

/** Returns the indexes of the objects that meet all conditions of a call. */
function matching(call: Call): number[] {
  const conditions = fieldTree(conditionsOf(call));
  return places(call).filter((at) => meets(call.list.objects[at] ?? null, conditions, call));
}

/**
 * Returns the indexes of the objects that do not meet all conditions of a call. As in Django, different related objects
 * can meet the conditions here.
 */
function notMatching(call: Call): number[] {
  const conditions = conditionsOf(call).map((condition) => fieldTree([condition]));
  return places(call).filter(
    (at) => !conditions.every((condition) => meets(call.list.objects[at] ?? null, condition, call)),
  );
}

function single(call: Call): Value {
  const found = hasConditions(call) ? matching(call) : places(call);
  const [first] = found;
  if (first === undefined) throw missing(call);
  if (found.length === 1) return call.list.items[first] ?? null;
  throw new MultipleObjectsReturned(
    `get() returned more than one ${typeOf(call.list)} -- it returned ${found.length}!`,
  );
}

function missing({ list }: Call): DoesNotExist {
  return new DoesNotExist(`${typeOf(list)} matching query does not exist.`);
}

function typeOf({ objects: [first] }: RelatedList): string {
  return first instanceof TemplateObject ? (first.typeName ?? 'Object') : 'Object';
}

/** Returns the first or last object in the order of the named fields. */
function outermost(call: Call, at: 0 | -1): Value {
  if (call.positional.length === 0) throw new TemplateRuntimeError('earliest() and latest() require names of fields');
  const found = ordered(call).at(at);
  if (found === undefined) throw missing(call);
  return call.list.items[found] ?? null;
}

/** Returns the indexes of the objects in the order of the named fields. */
function ordered(call: Call): number[] {
  const { list, positional, budget } = call;
  const terms = positional.map((name) => {
    const text = textOf(name, budget);
    return { path: text.replace(/^-/, ''), sign: text.startsWith('-') ? -1 : 1 };
  });
  const keyed = places(call).map((at) => ({
    at,
    keys: terms.map(({ path }) => valueAt(list.objects[at] ?? null, path, call)),
  }));
  budget.loop(keyed.length);
  const sorted = keyed.toSorted((one, other) => {
    for (const [index, { sign }] of terms.entries()) {
      const found = sign * compareNaturally(one.keys[index] ?? null, other.keys[index] ?? null, budget);
      if (found !== 0) return found;
    }
    return 0;
  });
  return sorted.map(({ at }) => at);
}

/** Removes equal rows of `values()` and `values_list()`. Objects are distinct already. */
function distinct(call: Call): Value {
  const { list, budget } = call;
  const seen = new Set<string>();
  const kept = places(call).filter((at) => {
    budget.loop();
    const item = list.items[at] ?? null;
    const key = item instanceof TemplateObject ? `object ${at}` : textOf([item], budget);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
  return list.pick(kept);
}

function inBulk({ list, positional: [ids = null], budget }: Call): Value {
  const wanted = isList(ids) ? new Set(ids.map(keyOf)) : null;
  budget.allocate(list.objects.length * 4);
  const byId = list.objects.flatMap((object) => {
    const id = object instanceof TemplateObject ? keyOf(object.member('id') ?? null) : null;
    return wanted === null || wanted.has(id) ? [[id, object] as const] : [];
  });
  return new Dict(byId);
}

function namesOf({ positional, budget }: Call): readonly string[] {
  if (positional.length === 0) throw new FieldError('Name the fields of values() and values_list()');
  return positional.map((name) => textOf(name, budget));
}

/** Returns values made of the named fields of each object. */
function rows(
  call: Call,
  names: readonly string[],
  make: (names: readonly string[], values: readonly Value[]) => Value,
): RelatedList {
  const columns = fieldTree(names.map((name, end) => ({ names: name.split('__'), end })));
  const empty = names.map(() => null);
  const found = call.list.objects.flatMap((object) =>
    rowsAt(object, columns, empty, call).map((values) => {
      call.budget.allocate(names.length * 4);
      return { object, item: make(names, values) };
    }),
  );
  return call.list.with(
    found.map(({ item }) => item),
    found.map(({ object }) => object),
  );
}

function named(names: readonly string[], values: readonly Value[]): Dict {
  return new Dict(names.map((name, at) => [name, values[at] ?? null]));
}

function valuesList(call: Call): Value {
  const isFlat = isTrue(call.named.get('flat') ?? false);
  const names = namesOf(call);
  if (isFlat && names.length > 1) throw new TemplateRuntimeError("'flat' is for a single field");
  return rows(call, names, (_, values) => (isFlat ? (values[0] ?? null) : values));
}
