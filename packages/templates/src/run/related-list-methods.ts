import {
  ObjectNotFoundError,
  FieldError,
  MultipleObjectsError,
  SecurityError,
  TemplateRuntimeError,
} from '../template-errors.js';
import { areEqualTemplateValues, isTruthyTemplateValue, toTemplateDictKey } from '../values/compare-values.js';
import { templateValueToText } from '../values/value-to-text.js';
import {
  type TemplateCallArguments,
  CallableTemplateValue,
  TemplateDictValue,
  isTemplateList,
  RelatedList,
  TemplateObject,
  type TemplateValue,
} from '../values/template-value.js';
import {
  createFieldPathTree,
  objectMeetsConditions,
  type TemplateFieldReader,
  readFieldRowsOfObject,
  readValueAtFieldPath,
} from './field-paths.js';
import { compareFieldValuesNaturally, parseFieldCondition } from './field-lookups.js';

/** Call of a method on a list of related objects, with the list and the arguments. */
interface RelatedListMethodCall extends TemplateCallArguments, TemplateFieldReader {
  readonly list: RelatedList;
}

type RelatedListMethod = (call: RelatedListMethodCall) => TemplateValue;

const returnRelatedListUnchanged: RelatedListMethod = ({ list }) => list;

/**
 * Methods of lists of related objects, with the names and results of the reference server. The methods work on objects
 * in memory. A list is therefore read once, regardless of the number of method calls in a template.
 */
const relatedListMethodByName: ReadonlyMap<string, RelatedListMethod> = new Map<string, RelatedListMethod>([
  ...['all', 'iterator', 'select_related', 'prefetch_related', 'only', 'defer', 'using'].map(
    (name) => [name, returnRelatedListUnchanged] as const,
  ),
  ['none', ({ list }) => list.selectItems([])],
  ['distinct', removeEqualRowsOfList],
  [
    'filter',
    (call) => (hasLookupConditions(call) ? call.list.selectItems(findIndexesOfMatchingObjects(call)) : call.list),
  ],
  [
    'exclude',
    (call) => (hasLookupConditions(call) ? call.list.selectItems(findIndexesRemainingAfterExclude(call)) : call.list),
  ],
  ['order_by', (call) => call.list.selectItems(sortObjectIndexes(call))],
  ['reverse', (call) => call.list.selectItems(listAllObjectIndexes(call).reverse())],
  ['first', ({ list }) => list.items[0] ?? null],
  ['last', ({ list }) => list.items.at(-1) ?? null],
  ['earliest', (call) => getFirstOrLastObject(call, 0)],
  ['latest', (call) => getFirstOrLastObject(call, -1)],
  ['count', ({ list }) => list.length],
  ['exists', ({ list }) => list.length > 0],
  ['get', (call) => getSingleObject(call)],
  [
    'contains',
    ({ list, positional: [one = null], budget }) =>
      list.items.some((item) => areEqualTemplateValues(item, one, budget)),
  ],
  ['in_bulk', (call) => getObjectsByIds(call)],
  ['values', (call) => mapFieldValues(call, parseFieldNames(call), (names, values) => createDictRow(names, values))],
  ['values_list', (call) => createFieldValuesList(call)],
  ['names', (call) => mapFieldValues(call, ['name'], (_, [name = null]) => name)],
  ['slugs', (call) => mapFieldValues(call, ['slug'], (_, [slug = null]) => slug)],
]);

/** Names of methods of the reference server that change data. Templates must not call these methods. */
const unsafeRelatedListMethodNames = new Set(
  'add bulk_create bulk_update clear create delete get_or_create raw refresh_from_db remove save set snapshot update update_or_create'.split(
    ' ',
  ),
);

/** Returns true if a name is the name of a method of lists of related objects. */
export function isRelatedListMethodName(name: string): boolean {
  return relatedListMethodByName.has(name);
}

/**
 * Returns the method with a name for a list of related objects. For a method that changes data, returns a method that
 * throws an error. Returns undefined for other names.
 */
export function findRelatedListMethod(
  list: RelatedList,
  name: string,
  reading: TemplateFieldReader,
): TemplateValue | undefined {
  const found = relatedListMethodByName.get(name);
  if (found !== undefined) return new CallableTemplateValue(name, (given) => found({ ...given, ...reading, list }));
  return findForbiddenMethod(name);
}

/**
 * Returns a method that throws SecurityError, for the name of a method with which the reference server changes data.
 * Returns undefined for other names.
 */
export function findForbiddenMethod(name: string): TemplateValue | undefined {
  if (!unsafeRelatedListMethodNames.has(name)) return undefined;
  return new CallableTemplateValue(name, () => {
    throw new SecurityError(`<bound method ${name}> is not safely callable`);
  });
}

function listAllObjectIndexes({ list, budget }: RelatedListMethodCall): number[] {
  budget.countItemMoves(list.objects.length);
  return [...list.objects.keys()];
}

function hasLookupConditions({ named: conditions, positional }: RelatedListMethodCall): boolean {
  if (positional.length > 0) throw new TemplateRuntimeError('Conditions are given by name');
  return conditions.size > 0;
}

function parseLookupConditions({ named: conditions, budget }: RelatedListMethodCall) {
  return [...conditions].map(([name, expected]) => {
    const end = parseFieldCondition(name, expected, budget);
    return { names: end.names, end };
  });
}

/** Returns the indexes of the objects in a list of related objects that meet all conditions of a method call. */
function findIndexesOfMatchingObjects(call: RelatedListMethodCall): number[] {
  const conditions = createFieldPathTree(parseLookupConditions(call));
  return listAllObjectIndexes(call).filter((at) =>
    objectMeetsConditions(call.list.objects[at] ?? null, conditions, call),
  );
}

/**
 * Returns the indexes of the objects that remain after `exclude`. An object is excluded if it meets all conditions of
 * the method call. Like in Django, different related objects may meet different conditions.
 */
function findIndexesRemainingAfterExclude(call: RelatedListMethodCall): number[] {
  const conditions = parseLookupConditions(call).map((condition) => createFieldPathTree([condition]));
  return listAllObjectIndexes(call).filter(
    (at) => !conditions.every((condition) => objectMeetsConditions(call.list.objects[at] ?? null, condition, call)),
  );
}

function getSingleObject(call: RelatedListMethodCall): TemplateValue {
  const found = hasLookupConditions(call) ? findIndexesOfMatchingObjects(call) : listAllObjectIndexes(call);
  const [first] = found;
  if (first === undefined) throw createObjectNotFoundError(call);
  if (found.length === 1) return call.list.items[first] ?? null;
  throw new MultipleObjectsError(
    `get() returned more than one ${getObjectTypeName(call.list)} -- it returned ${found.length}!`,
  );
}

function createObjectNotFoundError({ list }: RelatedListMethodCall): ObjectNotFoundError {
  return new ObjectNotFoundError(`${getObjectTypeName(list)} matching query does not exist.`);
}

function getObjectTypeName({ objects: [first] }: RelatedList): string {
  return first instanceof TemplateObject ? (first.typeName ?? 'Object') : 'Object';
}

/**
 * Returns the first or last object of a list of related objects in the order of the fields that the method call names.
 */
function getFirstOrLastObject(call: RelatedListMethodCall, at: 0 | -1): TemplateValue {
  if (call.positional.length === 0) throw new TemplateRuntimeError('earliest() and latest() require names of fields');
  const found = sortObjectIndexes(call).at(at);
  if (found === undefined) throw createObjectNotFoundError(call);
  return call.list.items[found] ?? null;
}

/** Returns the indexes of the objects in a list of related objects, sorted by the fields that the method call names. */
function sortObjectIndexes(call: RelatedListMethodCall): number[] {
  const { list, positional, budget } = call;
  const terms = positional.map((name) => {
    const text = templateValueToText(name, budget);
    return { path: text.replace(/^-/, ''), sign: text.startsWith('-') ? -1 : 1 };
  });
  const keyed = listAllObjectIndexes(call).map((at) => ({
    at,
    keys: terms.map(({ path }) => readValueAtFieldPath(list.objects[at] ?? null, path, call)),
  }));
  budget.countIterations(keyed.length);
  const sorted = keyed.toSorted((one, other) => {
    for (const [index, { sign }] of terms.entries()) {
      const found = sign * compareFieldValuesNaturally(one.keys[index] ?? null, other.keys[index] ?? null, budget);
      if (found !== 0) return found;
    }
    return 0;
  });
  return sorted.map(({ at }) => at);
}

/**
 * Returns the list without equal rows of `values()` and `values_list()`. Objects need no check, because objects are
 * always distinct.
 */
function removeEqualRowsOfList(call: RelatedListMethodCall): TemplateValue {
  const { list, budget } = call;
  const seen = new Set<string>();
  const kept = listAllObjectIndexes(call).filter((at) => {
    budget.countIterations();
    const item = list.items[at] ?? null;
    const key = item instanceof TemplateObject ? `object ${at}` : templateValueToText([item], budget);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
  return list.selectItems(kept);
}

function getObjectsByIds({ list, positional: [ids = null], budget }: RelatedListMethodCall): TemplateValue {
  const wanted = isTemplateList(ids) ? new Set(ids.map(toTemplateDictKey)) : null;
  budget.countAllocatedMemory(list.objects.length * 4);
  const byId = list.objects.flatMap((object) => {
    const id = object instanceof TemplateObject ? toTemplateDictKey(object.member('id') ?? null) : null;
    return wanted === null || wanted.has(id) ? [[id, object] as const] : [];
  });
  return new TemplateDictValue(byId);
}

function parseFieldNames({ positional, budget }: RelatedListMethodCall): readonly string[] {
  if (positional.length === 0) throw new FieldError('Name the fields of values() and values_list()');
  return positional.map((name) => templateValueToText(name, budget));
}

/** Returns a list with one value for each object or row. The value is made from the fields with the given names. */
function mapFieldValues(
  call: RelatedListMethodCall,
  names: readonly string[],
  make: (names: readonly string[], values: readonly TemplateValue[]) => TemplateValue,
): RelatedList {
  const columns = createFieldPathTree(names.map((name, end) => ({ names: name.split('__'), end })));
  const empty = names.map(() => null);
  const found = call.list.objects.flatMap((object) =>
    readFieldRowsOfObject(object, columns, empty, call).map((values) => {
      call.budget.countAllocatedMemory(names.length * 4);
      return { object, item: make(names, values) };
    }),
  );
  return call.list.with(
    found.map(({ item }) => item),
    found.map(({ object }) => object),
  );
}

function createDictRow(names: readonly string[], values: readonly TemplateValue[]): TemplateDictValue {
  return new TemplateDictValue(names.map((name, at) => [name, values[at] ?? null]));
}

function createFieldValuesList(call: RelatedListMethodCall): TemplateValue {
  const isFlat = isTruthyTemplateValue(call.named.get('flat') ?? false);
  const names = parseFieldNames(call);
  if (isFlat && names.length > 1) throw new TemplateRuntimeError("'flat' is for a single field");
  return mapFieldValues(call, names, (_, values) => (isFlat ? (values[0] ?? null) : values));
}
