import { TemplateRuntimeError } from '../template-errors.js';
import { type PendingLoad, requireLoadedValue } from './pending-load.js';
import type { TemplateObjectOptions } from './object-options.js';

/**
 * A value that templates can use. A template value is never a general JavaScript object. This package creates
 * dictionaries and functions as objects of own classes, and only code of this package reads the properties.
 */
export type TemplateValue =
  | null
  | boolean
  | number
  | string
  | FloatValue
  | readonly TemplateValue[]
  | TemplateDictValue
  | UndefinedTemplateValue
  | TemplateObject
  | TemplateGroupByResult
  | CallableTemplateValue
  | ValueWithComputedMembers
  | LazyList
  | RelatedList;

/** Key of a dictionary in a template. */
export type TemplateDictKey = null | boolean | number | string;

/** A number that is printed with a decimal point even if it is integral, like results of a division in Python. */
export class FloatValue {
  /** @param places number of decimal places with which the number is printed; null for as many as it needs */
  constructor(
    readonly value: number,
    readonly places: number | null = null,
  ) {}
}

/**
 * The undefined value of templates. The value is printed as an empty string. Any other use of the value throws an error
 * with the message `reason`.
 */
export class UndefinedTemplateValue {
  /** @param written text that stands for the value in templates that show undefined values */
  constructor(
    readonly reason: string,
    readonly written: string | null = null,
  ) {}
}

/** A template value that can be called: a macro, a method, or a function of the template language. */
export class CallableTemplateValue {
  constructor(
    readonly name: string,
    readonly call: (args: TemplateCallArguments) => TemplateValue,
  ) {}
}

/** Arguments of a call in a template, by position and by name. */
export interface TemplateCallArguments {
  readonly positional: readonly TemplateValue[];
  readonly named: ReadonlyMap<string, TemplateValue>;
}

/** A template value whose members are computed on access, such as the state of a loop or a namespace. */
export class ValueWithComputedMembers {
  constructor(
    readonly typeName: string,
    readonly find: (name: string) => TemplateValue | undefined,
    /** Function that assigns a value to a member of this template value; null if templates cannot assign members. */
    readonly assign: ((name: string, value: TemplateValue) => void) | null = null,
    /** Function that runs when a template calls this value; null if the value cannot be called. */
    readonly call: CallableTemplateValue | null = null,
  ) {}
}

/** JSON object with the fields of a value, or a function that creates the JSON object when needed. */
type JsonObjectSource = Readonly<Record<string, unknown>> | (() => Readonly<Record<string, unknown>>);

function readJsonObjectSource(source: JsonObjectSource | null): Readonly<Record<string, unknown>> {
  return typeof source === 'function' ? source() : (source ?? {});
}

/** A dictionary of a template. The entries have the order of insertion, and every change can be undone. */
export class TemplateDictValue {
  #entries: Map<TemplateDictKey, TemplateValue> | null;
  readonly #source: JsonObjectSource | null;
  /** Places of the dictionary's keys in the order of insertion; null until an entry is first removed. */
  #places: Map<TemplateDictKey, number> | null = null;
  #nextPlace = 0;
  /** False if an entry that was removed and restored is not at its place in the order of insertion. */
  #isInOrder = true;

  /** @param source the entries, or JSON whose entries are created on demand */
  constructor(source: Iterable<readonly [TemplateDictKey, TemplateValue]> | { readonly json: JsonObjectSource } = []) {
    this.#source = 'json' in source ? source.json : null;
    this.#entries = 'json' in source ? null : new Map(source);
  }

  /** Entries of the template dictionary, in the order of insertion. */
  get entries(): ReadonlyMap<TemplateDictKey, TemplateValue> {
    return this.#current;
  }

  /** True after the first removal of an entry, which numbers all entries. Further removals take constant time. */
  get hasNumberedEntries(): boolean {
    return this.#places !== null;
  }

  /** Adds or replaces an entry of the dictionary. Returns a function that undoes the change. */
  putEntry(key: TemplateDictKey, value: TemplateValue): () => void {
    const entries = this.#current;
    const before = entries.get(key);
    entries.set(key, value);
    if (before !== undefined) return () => void entries.set(key, before);
    const places = this.#places;
    places?.set(key, (this.#nextPlace += 1));
    return () => {
      entries.delete(key);
      places?.delete(key);
    };
  }

  /** Removes an existing entry of the dictionary. Returns a function that restores the entry at its place. */
  deleteEntry(key: TemplateDictKey): () => void {
    const entries = this.#current;
    const value = entries.get(key) ?? null;
    const places = (this.#places ??= new Map([...entries.keys()].map((one, index) => [one, index])));
    this.#nextPlace = Math.max(this.#nextPlace, entries.size);
    const place = places.get(key) ?? 0;
    entries.delete(key);
    places.delete(key);
    return () => {
      entries.set(key, value);
      places.set(key, place);
      this.#isInOrder = false;
    };
  }

  /** Removes all entries of the dictionary. Returns a function that restores the removed entries. */
  removeAllEntries(): () => void {
    const entries = this.#current;
    const [before, places] = [[...entries], this.#places];
    entries.clear();
    this.#places = null;
    return () => {
      for (const [key, value] of before) entries.set(key, value);
      this.#places = places;
    };
  }

  get #current(): Map<TemplateDictKey, TemplateValue> {
    this.#entries ??= new Map(
      Object.entries(readJsonObjectSource(this.#source)).map(([key, value]) => [key, toTemplateValue(value)]),
    );
    if (!this.#isInOrder) this.#sort(this.#entries);
    return this.#entries;
  }

  #sort(entries: Map<TemplateDictKey, TemplateValue>): void {
    const placeOf = (key: TemplateDictKey): number => this.#places?.get(key) ?? 0;
    const sorted = [...entries].toSorted(([one], [other]) => placeOf(one) - placeOf(other));
    entries.clear();
    for (const [key, value] of sorted) entries.set(key, value);
    this.#isInOrder = true;
  }
}

/**
 * An object that the service passes to templates. The object is printed, compared and sorted like one plain value, and
 * also has fields. For example, a site is printed as its name, and `site.slug` is the slug.
 */
export class TemplateObject {
  readonly fields: TemplateDictValue;

  /**
   * @param scalar value as which the object is written and compared
   * @param json JSON fields, or a function that creates them; read when a template accesses a field
   */
  constructor(
    readonly scalar: null | boolean | number | string,
    json: JsonObjectSource,
    private readonly options: TemplateObjectOptions = {},
  ) {
    this.fields = new TemplateDictValue({ json });
  }

  /** Name of the object's type; null if lists print the object like its plain value. */
  get typeName(): string | null {
    return this.options.typeName ?? null;
  }

  /** Type and id of a stored object, used to compare stored objects; null for an object that is not stored. */
  get identity(): string | null {
    return this.options.identity ?? null;
  }

  /** True if the object is a text with fields, such as an IP address. Templates can call text methods on the object. */
  get isText(): boolean {
    return this.options.isText === true;
  }

  /** True if the object is a text that is printed without escaping. */
  get isSafe(): boolean {
    return this.options.isSafe === true;
  }

  /** Returns the sort key for a text form of an object of this type; null if the text itself is the sort key. */
  sortKey(text: string): string | null {
    return this.options.sortKey?.(text) ?? null;
  }

  /** Returns an object without fields that is compared and sorted like this one, but has another text form. */
  withText(text: string): TemplateObject {
    return new TemplateObject(text, {}, this.options);
  }

  /** Compares the object with a text, for a condition with the given lookup. Returns true if the condition is met. */
  compare(lookup: string, text: string): boolean {
    return this.options.compare?.(lookup, text) === true;
  }

  /**
   * Returns a field or another member of the object; undefined if the object has no member with this name.
   *
   * @throws DataNotLoadedError if the member has not been read
   */
  member(name: string): TemplateValue | undefined {
    const field = this.fields.entries.get(name);
    if (field !== undefined || this.options.find === undefined) return field;
    const found = requireLoadedValue(this.options.find(name));
    return found === undefined ? undefined : toTemplateValue(found);
  }
}

/** A method of an object. Its result has the same form as a member; see {@link TemplateObjectOptions.find}. */
export class TemplateMethod {
  constructor(
    readonly name: string,
    readonly call: (given: TemplateCallArguments) => unknown,
  ) {}
}

/**
 * A long list that the service passes to templates. The list is read in parts while a template loops over its items.
 * Only the length and the first item are available outside a loop. Operations that need all items are rejected.
 */
export class LazyList {
  /** First item of the lazy list, converted to a template value. */
  readonly first: TemplateValue;

  /** @param first first item, as JSON or a {@link TemplateObject} */
  constructor(
    readonly length: number,
    first: unknown,
  ) {
    this.first = toTemplateValue(first);
  }

  /** Creates the error for an operation that needs all items of the lazy list, which are not in memory. */
  wholeListError(): TemplateRuntimeError {
    return new TemplateRuntimeError(
      `A list of ${this.length} objects is read in parts: use 'for' outside of macros, 'length' or 'first', or narrow the list by filters`,
    );
  }
}

/** Source of the rows of a {@link RelatedList}. */
export interface RelatedListRowSource {
  /** Returns JSON or `TemplateObject`s in order, or the load that reads them. */
  rows(): readonly unknown[] | PendingLoad;
  /** Returns the number of objects, or the load that counts them. Without it, the rows are read. */
  count?(): number | PendingLoad;
  /** Name of the list's type, which is printed with the list: `<RestrictedQuerySet [<Site: Delta>]>`. */
  readonly typeName?: string;
}

/**
 * A list of objects that the service reads when a template first needs them, such as the interfaces of a device. All
 * template filters for lists accept a related list.
 */
export class RelatedList {
  #items: readonly TemplateValue[] | null = null;
  #objects: readonly TemplateValue[] | null = null;

  constructor(private readonly source: RelatedListRowSource) {}

  /** Name of the type of the related list. */
  get typeName(): string {
    return this.source.typeName ?? 'RestrictedQuerySet';
  }

  /**
   * Items of the related list: objects, or rows of `values()` with field values of objects.
   *
   * @throws DataNotLoadedError if the items have not been read
   */
  get items(): readonly TemplateValue[] {
    this.#items ??= requireLoadedValue(this.source.rows()).map(toTemplateValue);
    return this.#items;
  }

  /** Objects of the items, with the same indexes: the item itself, or the object whose values the item contains. */
  get objects(): readonly TemplateValue[] {
    return this.#objects ?? this.items;
  }

  /**
   * Number of items of the related list.
   *
   * @throws DataNotLoadedError if the items have not been counted
   */
  get length(): number {
    const { source } = this;
    return this.#items !== null || source.count === undefined ? this.items.length : requireLoadedValue(source.count());
  }

  /** Returns a list of this type with other items, and the objects to which their values belong. */
  with(items: readonly TemplateValue[], objects: readonly TemplateValue[] | null = null): RelatedList {
    const list = new RelatedList({ rows: () => [], typeName: this.typeName });
    list.#items = items;
    list.#objects = objects;
    return list;
  }

  /** Returns a related list with the items at the given indexes. */
  selectItems(indexes: readonly number[]): RelatedList {
    const at = (values: readonly TemplateValue[]): TemplateValue[] => indexes.map((index) => values[index] ?? null);
    return this.with(at(this.items), this.#objects === null ? null : at(this.#objects));
  }
}

/** Result of the filter `groupby` for one group: a pair whose parts can also be accessed by name. */
export class TemplateGroupByResult {
  /** Key and items of the group as a pair, for unpacking in a template loop. */
  readonly pair: readonly TemplateValue[];

  constructor(
    readonly grouper: TemplateValue,
    readonly list: readonly TemplateValue[],
  ) {
    this.pair = [grouper, list];
  }
}

/**
 * Converts a JSON value of the service, which may contain {@link TemplateObject}s, to a template value. Lists are
 * copied, so that a template cannot change lists of the service.
 */
export function toTemplateValue(value: unknown): TemplateValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? value : new FloatValue(value);
  if (Array.isArray(value)) return value.map(toTemplateValue);
  if (value instanceof TemplateObject || value instanceof LazyList || value instanceof RelatedList) return value;
  if (value instanceof FloatValue) return value;
  if (value instanceof TemplateMethod)
    return new CallableTemplateValue(value.name, (given) => toTemplateValue(requireLoadedValue(value.call(given))));
  if (typeof value === 'object' && isPlainObject(value)) return new TemplateDictValue({ json: { ...value } });
  throw new TemplateRuntimeError(`A ${typeof value} is no value for a template`);
}

// Class instances in a context are a programming error, and their getters may have side effects.
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Returns true for a template value that is a list. The function exists because `Array.isArray` does not narrow the
 * type of a readonly array.
 */
export function isTemplateList(value: TemplateValue): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

/** Returns the plain value by which an object or a list of objects is compared. Returns other values unchanged. */
export function toPlainValue(
  value: TemplateValue,
): Exclude<TemplateValue, TemplateObject | TemplateGroupByResult | RelatedList> {
  if (value instanceof TemplateGroupByResult) return value.pair;
  if (value instanceof RelatedList) return value.items;
  return value instanceof TemplateObject ? value.scalar : value;
}

/** Returns Python's name for the type of a template value, for error messages. */
export function getPythonTypeName(value: TemplateValue): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'int';
  if (typeof value === 'string') return 'str';
  if (value instanceof FloatValue) return 'float';
  if (value instanceof TemplateDictValue) return 'dict';
  if (value instanceof UndefinedTemplateValue) return 'Undefined';
  if (value instanceof CallableTemplateValue) return 'function';
  if (value instanceof ValueWithComputedMembers) return value.typeName;
  if (value instanceof LazyList || value instanceof RelatedList) return 'list';
  return value instanceof TemplateObject ? 'object' : 'list';
}
