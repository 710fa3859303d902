import { isLongTestRun } from '@switchboard/testing';
import { expect } from 'vitest';
import type { ModelDefinition } from '../../src/engine/declaration/define-model.js';
import { getFiltersOfModel } from '../../src/engine/filter/compile-filters.js';
import type { ListFilter, FilterLookupSuffix } from '../../src/engine/filter/filter-problem.js';
import type { TestInventory } from './test-service.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * Input for testing the filters of a list: the tested service, the model, and queries that find some objects of the
 * list.
 */
interface Tried {
  readonly test: TestInventory;
  readonly model: ModelDefinition;
  /** Query strings that match at least one object, such as `name=Echo`. */
  readonly queries: readonly string[];
  readonly triedKinds: FilterKinds;
}

/** Kinds of filters that a short run has tested with a value that no object has, and with their negation. */
export interface FilterKinds {
  readonly withoutMatch: Set<string>;
  readonly negated: Set<string>;
}

/** Returns kinds of filters of which none has been tested. */
export const createFilterKinds = (): FilterKinds => ({ withoutMatch: new Set(), negated: new Set() });

/** Changes the description and the tags of an object, if the object has these fields. Returns the id of the request. */
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
 * Sends each filter of a list twice: with a value that an object has, and with one that it does not have. A short run
 * sends only one filter of each kind with a value that no object has, unless another model has tested the kind. Returns
 * the names of filters for which no object has a value.
 */
export async function tryFilters({ test, model, queries, triedKinds }: Tried): Promise<string[]> {
  const path = `/api/${model.path}/`;
  const objects = (await test.api.get<{ results: Json[] }>(path)).body.results;
  const list = new TriedList(test, path);
  const filters = [...getFiltersOfModel(model, test.inventory.registry).values()];
  const matches = await findMatches(filters, objects, { queries, numbers: await typeNumbers(test) }, list);
  const left = new Map<unknown, Claim[]>();
  const { withoutMatch, negated } = triedKinds;
  for (const filter of isLongTestRun() ? filters : filters.filter((one) => isFirstOfKind(one, withoutMatch))) {
    const { name, lookups } = filter;
    const { value, found } = await findStrange(filter, objects.length, list);
    if (found === null || !lookups.includes('n')) continue;
    const { id } = matches.get(name) ?? objects.find((one) => !found.includes(one['id'])) ?? {};
    if (!found.includes(id)) left.set(id, [...(left.get(id) ?? []), [`${name}__n`, value]]);
  }
  for (const [id, claims] of left) expect(await list.holding(id, claims)).toEqual(claims);
  await tryLookups(filters, { matches, sealed: sealedNames(model), negated }, list);
  const rest = filters.filter(({ name }) => !matches.has(name));
  const untried: string[] = [];
  for (const filter of rest) if (!(await findsEmpty(filter, objects, list))) untried.push(filter.name);
  return untried;
}

/** Name of a filter, and a value for which the filter should match a certain object. */
type Claim = readonly [name: string, value: string];

/** Sends requests for a list to test its filters. One request can test several filters. */
class TriedList {
  constructor(
    private readonly test: TestInventory,
    private readonly path: string,
  ) {}

  /**
   * Returns the ids of the objects that a filter finds. Returns null if the service rejects the value of the filter.
   * The request contains `start`, so that the service does not count the objects.
   */
  async ask(name: string, value: string): Promise<readonly unknown[] | null> {
    const { status, body } = await this.test.api.get<{ results: Json[] }>(this.path, {
      query: { fields: 'id', start: 0, [name]: value },
    });
    expect([name, value, [200, 400].includes(status)]).toEqual([name, value, true]);
    return status === 200 ? body.results.map(({ id }) => id) : null;
  }

  /**
   * Returns those of the given filter values (`claims`) that match an object. One request contains all filter values. A
   * response with status 400 names the rejected values. If the response does not contain the object, each half of the
   * values is tested separately.
   */
  async holding(id: unknown, claims: readonly Claim[]): Promise<readonly Claim[]> {
    if (claims.length === 0) return [];
    const query = { ...Object.fromEntries(claims), fields: 'id' };
    const { status, body } = await this.test.api.get<Json>(this.path, { query });
    expect([claims, [200, 400].includes(status)]).toEqual([claims, true]);
    if (status === 400) {
      const readable = claims.filter(([name]) => !Object.hasOwn(body, name));
      expect(readable.length).toBeLessThan(claims.length);
      return this.holding(id, readable);
    }
    const results: unknown = body['results'];
    if (Array.isArray(results) && results.some((found) => Object(found)['id'] === id)) return claims;
    if (claims.length === 1) return [];
    const middle = Math.ceil(claims.length / 2);
    const first = await this.holding(id, claims.slice(0, middle));
    return [...first, ...(await this.holding(id, claims.slice(middle)))];
  }
}

interface Hints {
  readonly queries: readonly string[];
  readonly numbers: TypeNumbers;
}

/**
 * Finds, for each filter, an object that the filter matches. The value of the filter comes from the object or from a
 * known query.
 */
async function findMatches(
  filters: readonly ListFilter[],
  objects: readonly Json[],
  { queries, numbers }: Hints,
  list: TriedList,
): Promise<ReadonlyMap<string, Match>> {
  const matches = new Map<string, Match>();
  for (const object of objects) {
    const open = filters.filter(({ name }) => !matches.has(name));
    const guesses = open.map((filter): [ListFilter, string[]] => {
      const own = valuesOf(filter, object);
      const known = queries.flatMap((query) => new URLSearchParams(query).getAll(filter.name));
      return [filter, [...new Set([...own, ...own.flatMap((value) => numbers.get(value) ?? []), ...known])]];
    });
    const most = Math.max(0, ...guesses.map(([, values]) => values.length));
    for (let round = 0; round < most; round += 1) {
      const claims = guesses.flatMap(([{ name }, values]): Claim[] => {
        const value = values[round];
        return value === undefined || matches.has(name) ? [] : [[name, value]];
      });
      for (const [name, value] of await list.holding(object['id'], claims)) {
        matches.set(name, { id: object['id'], value, oneOfMany: Array.isArray(shownFor(name, object)) });
      }
    }
  }
  return matches;
}

/** Returns filter values that at least one object does not have. The first value is one that the filter accepts. */
function strangeValues({ schema }: ListFilter): readonly string[] {
  if (schema.type === 'boolean') return ['false', 'true'];
  const byFormat: Readonly<Record<string, string>> = {
    date: '1999-01-01',
    'date-time': '1999-01-01T00:00:00Z',
    uuid: '00000000-0000-4000-8000-000000000000',
  };
  const readable = byFormat[schema.format ?? ''] ?? [];
  const numbers = schema.type === 'integer' || schema.type === 'number' ? ['987654321'] : [];
  const chosen = (schema.enum ?? []).slice(-2).map(String);
  return [...chosen, ...numbers, ...[readable].flat(), 'zzz-none', '987654321', 'null', 'false', 'true'];
}

/**
 * Finds a value for which a filter does not match all objects. Returns the value and the ids of the matching objects.
 * The ids are null if the filter rejects the value.
 */
async function findStrange(filter: ListFilter, most: number, list: TriedList) {
  for (const value of strangeValues(filter)) {
    const found = await list.ask(filter.name, value);
    if (found === null || found.length < most) return { value, found };
  }
  throw new Error(`the filter ${filter.name} leaves nothing out`);
}

/** Returns true if the lookup `empty` of a filter finds at least one of the objects. */
async function findsEmpty({ name, lookups }: ListFilter, objects: readonly Json[], list: TriedList): Promise<boolean> {
  if (!lookups.includes('empty')) return false;
  const found = await list.ask(`${name}__empty`, 'true');
  return objects.some(({ id }) => found?.includes(id));
}

/** Id of an object and one of the object's values, in the form that the filter accepts. */
interface Match {
  readonly id: unknown;
  readonly value: string;
  /** True if the object has further values of the field that the filter compares. */
  readonly oneOfMany: boolean;
}

/** Numeric ids of models, by `<app>.<model>`. */
type TypeNumbers = ReadonlyMap<string, string>;

async function typeNumbers({ api }: TestInventory): Promise<TypeNumbers> {
  const { body } = await api.get<{ results: Json[] }>('/api/core/object-types/?limit=0&fields=id,app_label,model');
  return new Map(
    body.results.map((type) => [`${String(type['app_label'])}.${String(type['model'])}`, String(type['id'])]),
  );
}

/**
 * Returns values for which a filter may find an object. The values are guessed from the name of the filter and the
 * fields of the object.
 */
function valuesOf({ name, schema }: ListFilter, object: Json): string[] {
  if (name === 'q') return texts([object['name'], object['display'], object['description'], object['prefix']]);
  const shown = shownFor(name, object);
  const one: unknown = Array.isArray(shown) ? shown[0] : shown;
  if (one === null || one === undefined) return schema.type === 'boolean' ? ['false', 'true'] : ['null'];
  if (typeof one !== 'object') return texts([one]);
  const { id, value, slug, name: ownName, username, rd, asn, model, prefix, address } = Object(one);
  return name.endsWith('_id') ? texts([id]) : texts([value, slug, ownName, username, rd, asn, model, prefix, address]);
}

/**
 * Returns the value of the object's field that has the filter's name. The name of the field may also differ by `_id` or
 * be the plural.
 */
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

/**
 * Expected result of each lookup for a row whose value equals the filter value: true if the lookup must match the row.
 */
const expected: Readonly<Record<FilterLookupSuffix, boolean>> = {
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

/**
 * Returns the names of a model's encrypted fields. Filters by these fields support only equality and the lookup
 * `empty`.
 */
function sealedNames(model: ModelDefinition): ReadonlySet<string> {
  const fields = Object.entries(model.fields).filter(([, field]) => field.sealed !== undefined);
  return new Set(fields.map(([name]) => name));
}

const MAC_ADDRESS = /^([0-9A-F]{2}:){5}[0-9A-F]{2}$/;

/**
 * Returns a regular expression that matches a value as stored in the database. MAC addresses are stored in lower case,
 * although responses show them in upper case.
 */
function patternOf(value: string): string {
  const stored = MAC_ADDRESS.test(value) ? value.toLowerCase() : value;
  return stored.replace(/[^\w\s-]/g, String.raw`\$&`);
}

interface Known {
  readonly matches: ReadonlyMap<string, Match>;
  readonly sealed: ReadonlySet<string>;
  /** Kinds of filters whose negation has been tested. */
  readonly negated: Set<string>;
}

/**
 * Sends filters with lookups. A lookup that is true for an object must find the object, and any other lookup must not
 * find the object.
 */
async function tryLookups(
  filters: readonly ListFilter[],
  { matches, sealed, negated }: Known,
  list: TriedList,
): Promise<void> {
  const meant = new Map<unknown, Claim[]>();
  for (const filter of filters) {
    const match = matches.get(filter.name);
    if (match === undefined) continue;
    const { id, value, oneOfMany } = match;
    for (const lookup of requestedLookups(filter, negated)) {
      // For an object with several values, a comparison with one of them says nothing about the others.
      if ((value === 'null' && lookup !== 'n') || (oneOfMany && (lookup === 'lt' || lookup === 'gt'))) continue;
      const isPattern = lookup === 'regex' || lookup === 'iregex';
      const given = lookup === 'empty' ? 'true' : isPattern ? patternOf(value) : value;
      const claim: Claim = [`${filter.name}__${lookup}`, given];
      if (sealed.has(filter.name) && lookup !== 'n' && lookup !== 'empty') {
        expect([claim, await list.ask(...claim)]).toEqual([claim, null]);
        continue;
      }
      if (expected[lookup]) meant.set(id, [...(meant.get(id) ?? []), claim]);
      else expect([claim, (await list.ask(...claim))?.includes(id)]).toEqual([claim, false]);
    }
  }
  for (const [id, claims] of meant) expect(await list.holding(id, claims)).toEqual(claims);
}

/**
 * Returns the lookups of a filter to test. With the environment variable `FILTERS=all`, these are all lookups.
 * Otherwise only the negation is tested, for one filter of each kind.
 */
function requestedLookups(filter: ListFilter, negated: Set<string>): readonly FilterLookupSuffix[] {
  const { lookups } = filter;
  if (process.env['FILTERS'] === 'all') return lookups;
  return isFirstOfKind(filter, negated) ? lookups.filter((lookup) => lookup === 'n') : [];
}

/** Returns true for the first filter of its kind: type, format, lookups, and whether it accepts several values. */
function isFirstOfKind({ schema, lookups, multiple }: ListFilter, seen: Set<string>): boolean {
  const kind = JSON.stringify([schema.type, schema.format, schema.enum !== undefined, lookups, multiple]);
  if (seen.has(kind)) return false;
  seen.add(kind);
  return true;
}
