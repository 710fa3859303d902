import { expect } from 'vitest';
import type { ModelDefinition } from '../../src/engine/declaration/model.js';
import { filtersOf } from '../../src/engine/filter/compile-filters.js';
import type { Filter, Lookup } from '../../src/engine/filter/filter.js';
import type { TestInventory } from './harness.js';

type Json = Readonly<Record<string, unknown>>;

/** A list with a few objects in it. */
interface Tried {
  readonly test: TestInventory;
  readonly model: ModelDefinition;
  /** Queries that are known to find something, such as `name=Echo`. */
  readonly queries: readonly string[];
}

/** What no object has. */
const strangeValues = ['zzz-none', '987654321', '00000000-0000-4000-8000-000000000000', 'null', 'false', 'true'];

/** Gives an object a description and a tag where it can have them, and answers the id of the request. */
export async function touch(test: TestInventory, path: string, object: Json): Promise<string> {
  const tagged = Array.isArray(object['tags']);
  if (tagged) await test.api.post('/api/extras/tags/', { json: { name: 'Tried', slug: 'tried' } });
  const described = 'description' in object ? { description: 'Tried' } : {};
  const { headers } = await test.api.patch(path, {
    json: { ...described, ...(tagged ? { add_tags: [{ slug: 'tried' }] } : {}) },
  });
  return String(headers['x-request-id']);
}

/**
 * Tries every filter of a list with a value that an object has and with one that it has not, and answers the names of
 * those for which no object has a value.
 */
export async function tryFilters({ test, model, queries }: Tried): Promise<string[]> {
  const path = `/api/${model.path}/`;
  const all = await test.api.get<{ results: Json[] }>(path);
  const objects = all.body.results;
  const ask = async (name: string, value: string): Promise<readonly unknown[] | null> => {
    const { status, body } = await test.api.get<{ results: Json[] }>(path, { query: { [name]: value, fields: 'id' } });
    expect([name, value, [200, 400].includes(status)]).toEqual([name, value, true]);
    return status === 200 ? body.results.map(({ id }) => id) : null;
  };
  const numbers = await typeNumbers(test);
  const untried: string[] = [];
  for (const filter of filtersOf(model, test.inventory.registry).values()) {
    const known = queries.flatMap((query) => new URLSearchParams(query).getAll(filter.name));
    const match = await firstMatch(filter, objects, { known, numbers }, ask);
    if (match === null && !(await findsEmpty(filter, objects, ask))) untried.push(filter.name);
    const excluded = await firstThat(strangeValues, async (value) => {
      const found = await ask(filter.name, value);
      return found === null || found.length < objects.length;
    });
    expect([filter.name, 'leaves something out', excluded !== null]).toEqual([
      filter.name,
      'leaves something out',
      true,
    ]);
    if (match !== null) await tryLookups(filter, match, ask);
  }
  return untried;
}

type Ask = (name: string, value: string) => Promise<readonly unknown[] | null>;

/** Whether an object is found for having no value. */
async function findsEmpty({ name, lookups }: Filter, objects: readonly Json[], ask: Ask): Promise<boolean> {
  if (!lookups.includes('empty')) return false;
  const found = await ask(`${name}__empty`, 'true');
  return objects.some(({ id }) => found?.includes(id));
}

/** A value of an object, as its filter takes it. */
interface Match {
  readonly id: unknown;
  readonly value: string;
  /** Whether it is one of several that the object has. */
  readonly oneOfMany: boolean;
}

/** Numbers of models by `<app>.<model>`. */
type TypeNumbers = ReadonlyMap<string, string>;

async function typeNumbers({ api }: TestInventory): Promise<TypeNumbers> {
  const { body } = await api.get<{ results: Json[] }>('/api/core/object-types/?limit=0&fields=id,app_label,model');
  return new Map(
    body.results.map((type) => [`${String(type['app_label'])}.${String(type['model'])}`, String(type['id'])]),
  );
}

interface Hints {
  readonly known: readonly string[];
  readonly numbers: TypeNumbers;
}

async function firstMatch(filter: Filter, objects: readonly Json[], { known, numbers }: Hints, ask: Ask) {
  for (const object of objects) {
    const own = valuesOf(filter.name, object);
    const values = [...own, ...own.flatMap((value) => numbers.get(value) ?? []), ...known];
    const value = await firstThat(
      values,
      async (one) => (await ask(filter.name, one))?.includes(object['id']) === true,
    );
    if (value !== null) return { id: object['id'], value, oneOfMany: Array.isArray(shownFor(filter.name, object)) };
  }
  return null;
}

async function firstThat(
  values: readonly string[],
  holds: (value: string) => Promise<boolean>,
): Promise<string | null> {
  for (const value of new Set(values)) if (await holds(value)) return value;
  return null;
}

/** How an object may be found by a filter, judging by the filter's name and what the object shows. */
function valuesOf(name: string, object: Json): string[] {
  if (name === 'q') return texts([object['name'], object['display'], object['description'], object['prefix']]);
  const shown = shownFor(name, object);
  const one: unknown = Array.isArray(shown) ? shown[0] : shown;
  if (one === null || one === undefined) return ['null', 'false', 'true'];
  if (typeof one !== 'object') return texts([one]);
  const { id, value, slug, name: ownName, username, rd, asn, model, prefix, address } = Object(one);
  return name.endsWith('_id') ? texts([id]) : texts([value, slug, ownName, username, rd, asn, model, prefix, address]);
}

/** What an object shows under the name of a filter, with or without `_id`, or under its plural. */
function shownFor(name: string, object: Json): unknown {
  const bare = name.replace(/_id$/, '');
  return object[name] ?? object[bare] ?? object[`${name}s`] ?? object[`${bare}s`];
}

function texts(values: readonly unknown[]): string[] {
  return values.flatMap((value) =>
    (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean'
      ? [String(value)]
      : [],
  );
}

/** Lookups that an equal value meets, and those that it does not. */
const expected: Readonly<Record<Lookup, boolean>> = {
  n: false,
  ic: true,
  nic: false,
  isw: true,
  nisw: false,
  iew: true,
  niew: false,
  ie: true,
  nie: false,
  regex: true,
  iregex: true,
  lt: false,
  lte: true,
  gt: false,
  gte: true,
  any: true,
  empty: false,
};

/** Tries each lookup of a filter; all of them with `FILTERS=all`, otherwise the negation, on which others rest. */
async function tryLookups({ name, lookups }: Filter, { id, value, oneOfMany }: Match, ask: Ask): Promise<void> {
  const wanted = process.env['FILTERS'] === 'all' ? lookups : lookups.filter((lookup) => lookup === 'n');
  for (const lookup of wanted) {
    // What holds for one of several values says nothing of the others.
    if ((value === 'null' && lookup !== 'n') || (oneOfMany && (lookup === 'lt' || lookup === 'gt'))) continue;
    const isPattern = lookup === 'regex' || lookup === 'iregex';
    const given = lookup === 'empty' ? 'true' : isPattern ? value.replace(/[^\w\s-]/g, String.raw`\$&`) : value;
    const found = await ask(`${name}__${lookup}`, given);
    const line = `${name}__${lookup}=${given}`;
    expect([line, found?.includes(id)]).toEqual([line, expected[lookup]]);
  }
}
