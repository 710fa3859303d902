import { systemClock } from '@switchboard/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RemovedFieldValueCleanup } from '../src/custom-fields/remove-values-of-deleted-fields.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Value = string | number | boolean | readonly string[] | null;
type FieldType = 'text' | 'integer' | 'boolean' | 'select' | 'multiselect';

const types = ['dcim.region', 'dcim.sitegroup'] as const;
const paths = { 'dcim.region': '/api/dcim/regions/', 'dcim.sitegroup': '/api/dcim/site-groups/' };
const fieldPath = '/api/extras/custom-fields/';
const valuesOf: Readonly<Record<FieldType, readonly Value[]>> = {
  text: ['a', 'b', 'a"b', null],
  integer: [1, 2, 30, null],
  boolean: [true, false, null],
  select: ['x', 'y', null],
  multiselect: [['x'], ['x', 'y'], null],
};
const fieldTypes = Object.keys(valuesOf).filter((name): name is FieldType => name in valuesOf);

interface ModelField {
  readonly id: number;
  name: string;
  readonly type: FieldType;
  default: Value;
  objectTypes: readonly string[];
}

interface ModelObject {
  readonly id: number;
  readonly type: (typeof types)[number];
  /**
   * Stored custom field values of an object, by the id of the custom field. Objects get the default value when a field
   * is added to their model.
   */
  readonly values: Map<number, Value>;
}

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory();
  const choices = ['x', 'y', 'z'].map((value) => [value, value]);
  await test.api.post('/api/extras/custom-field-choice-sets/', { json: { name: 'set', extra_choices: choices } });
});
afterAll(() => test.close());

/** Returns a function that generates random integers from 0 to below `count`. The same seed gives the same integers. */
function randomNumbers(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

class Model {
  readonly fields: ModelField[] = [];
  readonly objects: ModelObject[] = [];
  #made = 0;

  constructor(private readonly below: (count: number) => number) {}

  /** Returns a random item of a list, or undefined if the list is empty. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  name(): string {
    this.#made += 1;
    // A new field may have the name of a deleted or renamed field.
    const free = ['alpha', 'beta', 'gamma'].find((name) => this.fields.every((field) => field.name !== name));
    return free ?? `field_${this.#made}`;
  }

  slug(): string {
    this.#made += 1;
    return `object-${this.#made}`;
  }

  give(field: ModelField, objectTypes: readonly string[]): void {
    for (const { type, values } of this.objects) {
      if (!objectTypes.includes(type)) values.delete(field.id);
      else if (!field.objectTypes.includes(type)) values.set(field.id, field.default);
    }
    field.objectTypes = objectTypes;
  }

  shown({ type, values }: ModelObject): Record<string, Value> {
    const fields = this.fields.filter(({ objectTypes }) => objectTypes.includes(type));
    return Object.fromEntries(fields.map(({ id, name }) => [name, values.get(id) ?? null]));
  }
}

/** Returns a random selection of the models. */
const someTypes = (model: Model): readonly string[] =>
  model.pick([['dcim.region'], ['dcim.sitegroup'], [...types], ['dcim.sitegroup', 'dcim.region']]) ?? [];

async function addField(model: Model): Promise<void> {
  const type = model.pick(fieldTypes) ?? 'text';
  const value = model.pick(valuesOf[type]) ?? null;
  const objectTypes = someTypes(model);
  const name = model.name();
  const choices = type.endsWith('select') ? { choice_set: { name: 'set' } } : {};
  const json = { name, type, default: value, object_types: objectTypes, filter_logic: 'exact', ...choices };
  const { status, body } = await test.api.post<{ id: number }>(fieldPath, { json });
  expect(status).toBe(201);
  const field = { id: body.id, name, type, default: value, objectTypes: [] };
  model.fields.push(field);
  model.give(field, objectTypes);
}

async function changeField(model: Model, change: (field: ModelField) => object): Promise<void> {
  const field = model.pick(model.fields);
  if (field === undefined) return;
  const { status } = await test.api.patch(`${fieldPath}${field.id}/`, { json: change(field) });
  expect(status).toBe(200);
}

async function deleteField(model: Model): Promise<void> {
  const field = model.pick(model.fields);
  if (field === undefined) return;
  expect((await test.api.delete(`${fieldPath}${field.id}/`)).status).toBe(204);
  model.give(field, []);
  model.fields.splice(model.fields.indexOf(field), 1);
}

/** Returns random values for a random selection of a model's custom fields. */
function someValues(model: Model, type: string): Map<ModelField, Value> {
  const fields = model.fields.filter(({ objectTypes }) => objectTypes.includes(type));
  const sent = fields.filter(() => model.pick([true, false]));
  return new Map(sent.map((field) => [field, model.pick(valuesOf[field.type]) ?? null]));
}

const byName = (values: ReadonlyMap<ModelField, Value>): Record<string, Value> =>
  Object.fromEntries([...values].map(([{ name }, value]) => [name, value]));

async function addObject(model: Model): Promise<void> {
  const type = model.pick(types) ?? 'dcim.region';
  const values = someValues(model, type);
  const slug = model.slug();
  const json = { name: slug, slug, custom_fields: byName(values) };
  const { status, body } = await test.api.post<{ id: number }>(paths[type], { json });
  expect(status).toBe(201);
  const fields = model.fields.filter(({ objectTypes }) => objectTypes.includes(type));
  const all = fields.map(
    (field) => [field.id, values.has(field) ? (values.get(field) ?? null) : field.default] as const,
  );
  model.objects.push({ id: body.id, type, values: new Map(all) });
}

async function changeObject(model: Model): Promise<void> {
  const object = model.pick(model.objects);
  if (object === undefined) return;
  const before = model.shown(object);
  const values = someValues(model, object.type);
  for (const [{ id }, value] of values) object.values.set(id, value);
  const json = { custom_fields: byName(values), description: model.slug() };
  const { status, body } = await test.api.patch<{ custom_fields: unknown }>(`${paths[object.type]}${object.id}/`, {
    json,
  });
  expect([status, body.custom_fields]).toEqual([200, model.shown(object)]);
  const query = {
    changed_object_type: object.type,
    changed_object_id: object.id,
    action: 'update',
    limit: 1,
    ordering: '-id',
  };
  const changes = await test.api.get<{ results: unknown[] }>('/api/core/object-changes/', { query, unchecked: true });
  expect(changes.body.results).toMatchObject([
    { prechange_data: { custom_fields: before }, postchange_data: { custom_fields: model.shown(object) } },
  ]);
}

/**
 * Returns true if a stored custom field value matches a filter value. Two lists match if they have a common item; other
 * values match if they are equal.
 */
function holds(value: Value, wanted: Value): boolean {
  if (Array.isArray(value) && Array.isArray(wanted)) return wanted.some((one) => value.includes(one));
  return value === wanted;
}

async function checkFilters(model: Model): Promise<void> {
  const field = model.pick(model.fields);
  const type = field?.objectTypes[0];
  if (field === undefined || (type !== 'dcim.region' && type !== 'dcim.sitegroup')) return;
  const wanted = model.pick(valuesOf[field.type].filter((value) => value !== false)) ?? null;
  if (field.type === 'boolean' && wanted === null) return;
  const found = async (lookup: string): Promise<number[]> => {
    const query = new URLSearchParams({ limit: '1000', brief: 'true', ordering: 'id' });
    for (const value of Array.isArray(wanted) ? wanted : [wanted])
      query.append(`cf_${field.name}${lookup}`, String(value));
    const { body } = await test.api.get<{ results: { id: number }[] }>(`${paths[type]}?${query.toString()}`, {
      unchecked: true,
    });
    return body.results.map(({ id }) => id);
  };
  const objects = model.objects.filter((object) => object.type === type).toSorted((a, b) => a.id - b.id);
  const matching = objects.filter(({ values }) => holds(values.get(field.id) ?? null, wanted)).map(({ id }) => id);
  expect(await found('')).toEqual(matching);
  if (field.type === 'boolean') return;
  const others = objects.map(({ id }) => id).filter((id) => !matching.includes(id));
  expect(await found('__n')).toEqual(others);
}

async function checkLists(model: Model): Promise<void> {
  for (const type of types) {
    const query = { limit: 1000, ordering: 'id', fields: 'id,custom_fields' };
    const { body } = await test.api.get<{ results: unknown[] }>(paths[type], { query, unchecked: true });
    const objects = model.objects.filter((object) => object.type === type).toSorted((a, b) => a.id - b.id);
    expect(body.results).toEqual(objects.map((object) => ({ id: object.id, custom_fields: model.shown(object) })));
  }
}

const actions: readonly ((model: Model) => Promise<void>)[] = [
  addField,
  deleteField,
  (model) =>
    changeField(model, (field) => {
      field.name = model.name();
      return { name: field.name };
    }),
  (model) =>
    changeField(model, (field) => {
      field.default = model.pick(valuesOf[field.type]) ?? null;
      return { default: field.default };
    }),
  (model) =>
    changeField(model, (field) => {
      const objectTypes = someTypes(model);
      model.give(field, objectTypes);
      return { object_types: objectTypes };
    }),
  addObject,
  addObject,
  changeObject,
  changeObject,
  checkFilters,
  checkFilters,
  async () => {
    await new RemovedFieldValueCleanup({ ...test.inventory, clock: systemClock }).deleteRemovedFieldValues();
  },
];

describe('custom fields of objects', () => {
  it.each([1, 2])('equal a naive model in which every object stores every value (seed %i)', async (seed) => {
    const model = new Model(randomNumbers(seed));
    for (let step = 0; step < 70; step += 1) {
      await model.pick(actions)?.(model);
      if (step % 10 === 9) await checkLists(model);
    }
    // The next run starts without objects and custom fields.
    for (const { type, id } of model.objects) await test.api.delete(`${paths[type]}${id}/`);
    while (model.fields.length > 0) await deleteField(model);
  });
});
