import { DoesNotExist, FieldError, MultipleObjectsReturned, SecurityError, TemplateRuntimeError } from '../errors.js';
import { isEqual, isTrue } from '../values/compare.js';
import { textOf } from '../values/text.js';
import { type Arguments, Callable, Dict, TemplateObject, type Value, RelatedList } from '../values/value.js';
import { compareNaturally, meets, type Reading, valueAt } from './lookups.js';

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
  ...['all', 'distinct', 'iterator', 'select_related', 'prefetch_related', 'only', 'defer'].map(
    (name) => [name, same] as const,
  ),
  ['none', () => listed([])],
  ['filter', (call) => chosen(call, true)],
  ['exclude', (call) => chosen(call, false)],
  ['order_by', (call) => listed(ordered(call, call.positional))],
  ['reverse', ({ list }) => listed(list.items.toReversed())],
  ['first', ({ list }) => list.items[0] ?? null],
  ['last', ({ list }) => list.items.at(-1) ?? null],
  ['earliest', (call) => ordered(call, call.positional)[0] ?? null],
  ['latest', (call) => ordered(call, call.positional).at(-1) ?? null],
  ['count', ({ list }) => list.length],
  ['exists', ({ list }) => list.length > 0],
  ['get', (call) => single(call)],
  ['contains', ({ list, positional: [one = null], budget }) => list.items.some((item) => isEqual(item, one, budget))],
  ['values', (call) => rows(call, (names, values) => new Dict(names.map((name, at) => [name, values[at] ?? null])))],
  ['values_list', (call) => valuesList(call)],
  ['names', (call) => rows({ ...call, positional: ['name'] }, (_, [name = null]) => name)],
  ['slugs', (call) => rows({ ...call, positional: ['slug'] }, (_, [slug = null]) => slug)],
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

function listed(items: readonly Value[]): RelatedList {
  return RelatedList.of(items);
}

function chosen(call: Call, isWanted: boolean): Value {
  const { named, positional } = call;
  if (positional.length > 0) throw new TemplateRuntimeError('Conditions are given by name');
  if (named.size === 0) return isWanted ? call.list : listed([]);
  return listed(matching(call, isWanted));
}

function matching(call: Call, isWanted: boolean): readonly Value[] {
  const { list, named, budget } = call;
  const conditions = [...named];
  return list.items.filter((item) => {
    budget.loop();
    return conditions.every(([name, value]) => meets(item, name, value, call)) === isWanted;
  });
}

function single(call: Call): Value {
  const found = matching(call, true);
  const [first] = found;
  const type = first instanceof TemplateObject ? (first.typeName ?? 'Object') : 'Object';
  if (first === undefined) throw new DoesNotExist(`${typeOf(call.list)} matching query does not exist.`);
  if (found.length === 1) return first;
  throw new MultipleObjectsReturned(`get() returned more than one ${type} -- it returned ${found.length}!`);
}

function typeOf(list: RelatedList): string {
  const [first] = list.items;
  return first instanceof TemplateObject ? (first.typeName ?? 'Object') : 'Object';
}

function ordered(call: Call, names: readonly Value[]): readonly Value[] {
  const { list, budget } = call;
  const terms = names.map((name) => {
    const text = textOf(name, budget);
    return { path: text.replace(/^-/, ''), sign: text.startsWith('-') ? -1 : 1 };
  });
  const keyed = list.items.map((item) => ({
    item,
    keys: terms.map(({ path }) => valueAt(item, path, call)),
  }));
  budget.loop(keyed.length);
  const sorted = keyed.toSorted((one, other) => {
    for (const [at, { sign }] of terms.entries()) {
      const found = sign * compareNaturally(one.keys[at] ?? null, other.keys[at] ?? null, budget);
      if (found !== 0) return found;
    }
    return 0;
  });
  return sorted.map(({ item }) => item);
}

/** Returns a value made of the named fields for each object. */
function rows(call: Call, make: (names: readonly string[], values: readonly Value[]) => Value): Value {
  const { list, positional, budget } = call;
  const names = positional.map((name) => textOf(name, budget));
  if (names.length === 0) throw new FieldError('Name the fields of values() and values_list()');
  return listed(
    list.items.map((item) => {
      budget.loop();
      budget.allocate(names.length * 4);
      const values = names.map((name) => valueAt(item, name, call));
      return make(names, values.map(stored));
    }),
  );
}

function valuesList(call: Call): Value {
  const isFlat = isTrue(call.named.get('flat') ?? false);
  if (isFlat && call.positional.length > 1) throw new TemplateRuntimeError("'flat' is for a single field");
  return rows(call, (_, values) => (isFlat ? (values[0] ?? null) : values));
}

/** Returns the stored form of a field: the id of a related object, or the value of a choice. */
function stored(value: Value): Value {
  if (!(value instanceof TemplateObject)) return value;
  return value.fields.entries.get('id') ?? value.scalar;
}
