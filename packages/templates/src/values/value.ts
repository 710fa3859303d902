import { TemplateRuntimeError } from '../errors.js';

/**
 * All values of a template. None is an object of the process: a dictionary is a map of this package, a function is
 * created by this package, and only its code reads their properties.
 */
export type Value =
  | null
  | boolean
  | number
  | string
  | Float
  | readonly Value[]
  | Dict
  | Undefined
  | TemplateObject
  | Group
  | Callable
  | Members
  | LazyList;

/** Key of a dictionary. */
export type Key = null | boolean | number | string;

/** A number formatted with a decimal point even if integral, like Python's division results. */
export class Float {
  constructor(readonly value: number) {}
}

/** The undefined value. It prints as nothing; using it throws an error that names it. */
export class Undefined {
  constructor(readonly complaint: string) {}
}

/** Something to call: a macro, a method, a function of the language. */
export class Callable {
  constructor(
    readonly name: string,
    readonly call: (args: Arguments) => Value,
  ) {}
}

/** Arguments of a call. */
export interface Arguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** Something with members that are found by asking: the state of a loop, or a namespace. */
export class Members {
  constructor(
    readonly typeName: string,
    readonly find: (name: string) => Value | undefined,
    /** Stores a member; null where the template may not. */
    readonly assign: ((name: string, value: Value) => void) | null = null,
    /** The function that a call runs; null where the value cannot be called. */
    readonly call: Callable | null = null,
  ) {}
}

/** Fields of JSON, or a function that creates them on demand. */
type Json = Readonly<Record<string, unknown>> | (() => Readonly<Record<string, unknown>>);

function jsonOf(source: Json | null): Readonly<Record<string, unknown>> {
  return typeof source === 'function' ? source() : (source ?? {});
}

/** A dictionary in insertion order. */
export class Dict {
  #entries: Map<Key, Value> | null;
  readonly #source: Json | null;

  /** @param source the entries, or JSON whose entries are created on demand */
  constructor(source: Iterable<readonly [Key, Value]> | { readonly json: Json } = []) {
    this.#source = 'json' in source ? source.json : null;
    this.#entries = 'json' in source ? null : new Map(source);
  }

  /** The entries, for reading and changing. */
  get entries(): Map<Key, Value> {
    this.#entries ??= new Map(Object.entries(jsonOf(this.#source)).map(([key, value]) => [key, fromHost(value)]));
    return this.#entries;
  }
}

/**
 * An object of the service: it is written, compared and sorted as one plain value, and has fields. A site is written
 * by its name, a status by its value, and yet `site.slug` and `status.label` are there.
 */
export class TemplateObject {
  readonly fields: Dict;

  /**
   * @param scalar What it is written and compared as.
   * @param json Its fields, as JSON has them, or what makes them; read when a template asks.
   */
  constructor(
    readonly scalar: null | boolean | number | string,
    json: Json,
  ) {
    this.fields = new Dict({ json });
  }
}

/**
 * A long list of the service that is read in parts while a template loops over it. It has a length and a first item;
 * operations that need all items are rejected.
 */
export class LazyList {
  /** The first item as templates see it. */
  readonly first: Value;

  /** @param first The first item, as JSON has it or a {@link TemplateObject}. */
  constructor(
    readonly length: number,
    first: unknown,
  ) {
    this.first = fromHost(first);
  }

  /** The error for an operation that needs all items. */
  refusal(): TemplateRuntimeError {
    return new TemplateRuntimeError(
      `A list of ${this.length} objects is read in parts: use 'for' outside of macros, 'length' or 'first', or narrow the list by filters`,
    );
  }
}

/** Result of `groupby`: a pair, whose parts also have names. */
export class Group {
  /** The two parts, as a loop takes them apart. */
  readonly pair: readonly Value[];

  constructor(
    readonly grouper: Value,
    readonly list: readonly Value[],
  ) {
    this.pair = [grouper, list];
  }
}

/**
 * Converts a JSON value, also with {@link TemplateObject}s, to a template value. Lists are copied, so that no template
 * changes values of the service.
 */
export function fromHost(value: unknown): Value {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? value : new Float(value);
  if (Array.isArray(value)) return value.map(fromHost);
  if (value instanceof TemplateObject || value instanceof LazyList) return value;
  if (typeof value === 'object' && isPlain(value)) return new Dict({ json: { ...value } });
  throw new TemplateRuntimeError(`A ${typeof value} is no value for a template`);
}

// A class instance in a context would be a mistake of ours, and its getters might do things.
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns true for a list. `Array.isArray` alone does not narrow a readonly one. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The value itself, or the plain one that an object is compared as. */
export function plain(value: Value): Exclude<Value, TemplateObject | Group> {
  if (value instanceof Group) return value.pair;
  return value instanceof TemplateObject ? value.scalar : value;
}

/** Returns Python's name of the type, for messages. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'int';
  if (typeof value === 'string') return 'str';
  if (value instanceof Float) return 'float';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Callable) return 'function';
  if (value instanceof Members) return value.typeName;
  if (value instanceof LazyList) return 'list';
  return value instanceof TemplateObject ? 'object' : 'list';
}
