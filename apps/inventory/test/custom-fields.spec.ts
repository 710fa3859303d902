import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@switchboard/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RemovedFieldValueCleanup } from '../src/custom-fields/remove-values-of-deleted-fields.js';
import { migrationsFolder } from '../src/migrate.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

const sites = '/api/dcim/sites/';
const fields = '/api/extras/custom-fields/';
const sets = '/api/extras/custom-field-choice-sets/';

describe('custom fields', () => {
  let test: TestInventory;
  let made = 0;
  const types: readonly Json[] = [
    { name: 'text', type: 'text', validation_regex: '[a-z]+$' },
    { name: 'longtext', type: 'longtext' },
    { name: 'url', type: 'url' },
    { name: 'integer', type: 'integer', validation_minimum: 1, validation_maximum: 9 },
    { name: 'decimal', type: 'decimal', validation_maximum: 2.5 },
    { name: 'boolean', type: 'boolean' },
    { name: 'date', type: 'date' },
    { name: 'datetime', type: 'datetime' },
    { name: 'json', type: 'json', validation_schema: { type: 'object', required: ['a'] } },
    { name: 'select', type: 'select', choice_set: { name: 'cs' } },
    { name: 'multiselect', type: 'multiselect', choice_set: { name: 'cs' } },
    { name: 'object', type: 'object', related_object_type: 'dcim.region' },
    { name: 'multiobject', type: 'multiobject', related_object_type: 'dcim.region' },
  ];
  beforeAll(async () => {
    test = await startInventory();
    await test.api.post('/api/dcim/regions/', {
      json: [
        { name: 'North', slug: 'north' },
        { name: 'South', slug: 'south' },
      ],
    });
    const choices = [
      ['a', 'A'],
      ['b', 'B'],
    ];
    await test.api.post(sets, { json: { name: 'cs', extra_choices: choices } });
    const { status } = await test.api.post(fields, {
      json: types.map((type, weight) => ({ object_types: ['dcim.site'], weight, ...type })),
    });
    expect(status).toBe(201);
  });
  afterAll(() => test.close());

  const site = async (custom_fields: Json, more: Json = {}): Promise<{ status: number; body: Json }> => {
    made += 1;
    return test.api.post<Json>(sites, { json: { name: `S${made}`, slug: `s${made}`, custom_fields, ...more } });
  };
  const none = Object.fromEntries(types.map(({ name }) => [String(name), null]));

  it.each<[string, unknown, unknown]>([
    ['text', 'abc', 'abc'],
    ['longtext', 'a\nb', 'a\nb'],
    ['url', 'http://x/', 'http://x/'],
    ['integer', 9, 9],
    ['decimal', 2.5, 2.5],
    ['decimal', '1.25', 1.25],
    ['boolean', false, false],
    ['boolean', 1, true],
    ['date', '2024-02-29', '2024-02-29'],
    ['datetime', '2024-02-29T10:00:00Z', '2024-02-29T10:00:00Z'],
    ['json', { a: [1] }, { a: [1] }],
    ['select', 'a', 'a'],
    ['multiselect', ['b', 'a'], ['b', 'a']],
    ['object', 1, { id: 1, name: 'North' }],
    ['object', { slug: 'south' }, { id: 2, name: 'South' }],
    ['multiobject', [2, { slug: 'north' }], [{ id: 1 }, { id: 2 }]],
    ['multiobject', [], []],
  ])('accept, for type %s, the value %j, and return a missing value as null', async (name, value, shown) => {
    const { status, body } = await site({ [name]: value });
    expect([status, body]).toMatchObject([201, { custom_fields: { ...none, [name]: shown } }]);
    expect(Object.keys(body['custom_fields'] ?? {})).toEqual(Object.keys(none));
    expect((await test.api.get<Json>(`${sites}${String(body['id'])}/`)).body).toEqual(body);
    const cleared = await test.api.patch<Json>(`${sites}${String(body['id'])}/`, {
      json: { custom_fields: { [name]: null } },
    });
    expect(cleared.body['custom_fields']).toEqual(none);
  });

  it.each<[string, unknown, string]>([
    ['text', 5, 'Value must be a string.'],
    ['text', '5', "Value must match regex '[a-z]+$'"],
    ['integer', '5', 'Value must be an integer.'],
    ['integer', 0, 'Value must be at least 1.0000'],
    ['integer', 10, 'Value must not exceed 9.0000'],
    ['decimal', 'x', 'Value must be a decimal.'],
    ['decimal', 2.6, 'Value must not exceed 2.5000'],
    ['boolean', 'yes', 'Value must be true or false.'],
    ['date', '2023-02-29', 'Date values must be in ISO 8601 format (YYYY-MM-DD).'],
    ['datetime', 'noon', 'Date and time values must be in ISO 8601 format (YYYY-MM-DD HH:MM:SS).'],
    ['select', 'zz', 'Invalid choice (zz) for choice set cs.'],
    ['multiselect', ['a', 'zz'], 'Invalid choice(s) (a, zz) for choice set cs.'],
    ['longtext', 'a\0b', 'Null characters are not allowed.'],
  ])('reject, for a field of type %s, the value %j', async (name, value, problem) => {
    const body = { __all__: [`Invalid value for custom field '${name}': ${problem}`] };
    expect(await site({ [name]: value })).toMatchObject({ status: 400, body });
  });

  it('reject missing related objects, values that violate a JSON schema, and unknown field names', async () => {
    const problem = async (values: Json): Promise<unknown> => (await site(values)).body;
    expect(await problem({ object: 99 })).toEqual({
      custom_fields: ['Related object not found using the provided numeric ID: 99'],
    });
    expect(await problem({ object: { slug: 'x' } })).toEqual({
      custom_fields: ["Related object not found using the provided attributes: {'slug': 'x'}"],
    });
    expect(JSON.stringify(await problem({ multiobject: 'x' }))).toContain('Received an unrecognized value: x');
    expect(JSON.stringify(await problem({ json: { b: 1 } }))).toContain('Value does not conform to schema');
    expect(await problem({ nope: 1, integer: 1 })).toEqual({
      custom_fields: { nope: "Custom field 'nope' does not exist for this object type." },
    });
  });

  it('retain values that a PATCH omits, and name an invalid field of an object in a list', async () => {
    const { body } = await site({ integer: 1, select: 'a' });
    const path = `${sites}${String(body['id'])}/`;
    const changed = await test.api.patch<Json>(path, { json: { custom_fields: { integer: 2 } } });
    expect(changed.body['custom_fields']).toEqual({ ...none, integer: 2, select: 'a' });
    const problems = { __all__: ["Invalid value for custom field 'integer': Value must be an integer."] };
    const refused = await test.api.patch(sites, { json: [{ id: body['id'], custom_fields: { integer: 'x' } }] });
    expect(refused).toMatchObject({
      status: 400,
      body: problems,
    });
  });

  it('support filters cf_<name> with the lookups of the type', async () => {
    await site({ text: 'alphabet', longtext: 'x', integer: 3, decimal: 1.5, boolean: true, date: '2024-02-01' });
    await site({ text: 'beta', integer: 5, select: 'a', multiselect: ['a', 'b'], object: 1, multiobject: [1, 2] });
    await site({ datetime: '2024-02-01T10:00:00Z', select: 'b', multiselect: ['b'], boolean: false });
    const names = [made - 2, made - 1, made].map((number) => `name=S${number}`).join('&');
    const found = async (query: string): Promise<number[]> => {
      const path = `${sites}?${names}&${query}&ordering=id`;
      const { body } = await test.api.get<{ results: { name: string }[] }>(path, { unchecked: true });
      return body.results.map(({ name }) => Number(name.slice(1)) - made + 3);
    };
    const expected: [string, number[]][] = [
      ['cf_text=ALPHA', [1]],
      ['cf_text=null', [3]],
      ['cf_text=null&cf_text=bet', [1, 2, 3]],
      ['cf_integer=3&cf_integer=5', [1, 2]],
      ['cf_integer__gte=4', [2]],
      ['cf_integer__n=3', [2, 3]],
      ['cf_integer__n=null', [1, 2]],
      ['cf_decimal__lt=2', [1]],
      ['cf_boolean=true', [1]],
      ['cf_date=2024-02-01', [1]],
      ['cf_date__gt=2024-02-01', []],
      ['cf_datetime__lte=2024-02-01T10:00:00Z', [3]],
      ['cf_select=a&cf_select=null', [1, 2]],
      ['cf_select__n=a', [1, 3]],
      ['cf_multiselect=a', [2]],
      ['cf_multiselect=b', [2, 3]],
      ['cf_object=1', [2]],
      ['cf_multiobject=2', [2]],
      ['cf_json=1', [1, 2, 3]],
      ['cf_nope=1', [1, 2, 3]],
    ];
    for (const [query, sitesFound] of expected) expect([query, await found(query)]).toEqual([query, sitesFound]);
    expect((await test.api.get(`${sites}?cf_integer=x`, { unchecked: true })).body).toEqual({
      cf_integer: ['Enter a whole number.'],
    });
    await test.api.patch(`${fields}1/`, { json: { filter_logic: 'exact' } });
    expect(await found('cf_text=bet')).toEqual([]);
    expect(await found('cf_text__isw=bet')).toEqual([2]);
    await test.api.patch(`${fields}1/`, { json: { filter_logic: 'disabled' } });
    expect(await found('cf_text=bet')).toEqual([1, 2, 3]);
  });

  it.each(['integer', 'decimal', 'boolean', 'date', 'datetime', 'object', 'multiobject'])(
    'return an empty string, and match this empty string in filters, whether sent or default: %s',
    async (type) => {
      const groups = '/api/tenancy/tenant-groups/';
      const name = `empty_${type}`;
      const related = type.endsWith('object') ? { related_object_type: 'dcim.region' } : {};
      const group = async (slug: string): Promise<Json> =>
        (await test.api.post<Json>(groups, { json: { name: slug, slug } })).body;
      await group(`${type}-before`);
      const made = await test.api.post<Json>(fields, {
        json: { name, type, object_types: ['tenancy.tenantgroup'], default: '', ...related },
      });
      expect(made.status).toBe(201);
      const later = await group(`${type}-after`);
      const shown = type.endsWith('object') ? null : '';
      expect(later['custom_fields']).toEqual({ [name]: shown });
      const { status, body } = await test.api.get<{ results: Json[] }>(groups);
      expect([status, body.results[0]?.['custom_fields']]).toEqual([200, { [name]: shown }]);
      const wanted = type.startsWith('date') ? '=2020-01-01' : type === 'boolean' ? '=true' : '=5';
      const condition = type === 'integer' ? '__gt=4' : wanted;
      const filtered = await test.api.get<Json>(`${groups}?cf_${name}${condition}`, { unchecked: true });
      expect(filtered).toMatchObject({ status: 200, body: { count: 0 } });
      await test.api.delete(`${fields}${String(made.body['id'])}/`);
    },
  );

  it('enforce the default and the constraints of a new field', async () => {
    const region = async (custom_fields: Json): Promise<{ status: number; body: Json }> => {
      made += 1;
      return test.api.post('/api/dcim/regions/', { json: { name: `R${made}`, slug: `r${made}`, custom_fields } });
    };
    const field = async (json: Json): Promise<string> => {
      const { body } = await test.api.post<Json>(fields, { json: { object_types: ['dcim.region'], ...json } });
      return `${fields}${String(body['id'])}/`;
    };
    const shown = async (): Promise<unknown> =>
      (await test.api.get<Json>('/api/dcim/regions/1/')).body['custom_fields'];
    const rank = await field({ name: 'rank', type: 'integer', default: 7 });
    expect(await shown()).toEqual({ rank: 7 });
    expect((await region({})).body['custom_fields']).toEqual({ rank: 7 });
    await test.api.patch(rank, { json: { name: 'grade', default: 8 } });
    expect(await shown()).toEqual({ grade: 7 });
    expect((await region({})).body['custom_fields']).toEqual({ grade: 8 });
    await test.api.patch(rank, { json: { unique: true } });
    const taken = { status: 400, body: { __all__: ["Custom field 'grade' must have a unique value."] } };
    expect(await region({ grade: 8 })).toMatchObject(taken);
    expect(await region({ grade: 7 })).toMatchObject(taken);
    const twins = ['x', 'y'].map((slug) => ({ name: slug, slug, custom_fields: { grade: 9 } }));
    const both = await test.api.post<Json>('/api/dcim/regions/', { json: twins });
    expect(both.body).toMatchObject([{}, taken.body]);
    await test.api.patch(rank, { json: { required: true, unique: false } });
    expect((await region({ grade: null })).body).toEqual({ __all__: ["Missing required custom field 'grade'."] });
    expect((await region({ grade: '' })).body).toEqual({
      __all__: ["Invalid value for custom field 'grade': Required field cannot be empty."],
    });
    await test.api.delete(rank);
    expect(await shown()).toEqual({});
    const { database } = test.inventory;
    await new RemovedFieldValueCleanup({ ...test.inventory, clock: systemClock }).deleteRemovedFieldValues();
    expect((await database.query(`SELECT FROM dcim_region WHERE custom_field_data <> '{}'`)).rows).toEqual([]);
    const { rows } = await database.query('SELECT FROM extras_customfield_pair WHERE custom_field_id IS NULL');
    expect(rows).toEqual([]);
  });

  it('prevent the deletion of choices that objects use, and of a choice set that a field uses', async () => {
    const { body } = await test.api.post<Json>(sets, {
      json: {
        name: 'Own',
        extra_choices: [
          ['x', 'X'],
          ['y', 'Y'],
        ],
      },
    });
    const path = `${sets}${String(body['id'])}/`;
    await test.api.post(fields, {
      json: { name: 'own', type: 'multiselect', choice_set: body['id'], object_types: ['dcim.site'] },
    });
    await site({ own: ['x'] });
    expect((await test.api.patch(path, { json: { extra_choices: [['x', 'X']] } })).status).toBe(200);
    expect(await test.api.patch(path, { json: { extra_choices: [['z', 'Z']] } })).toMatchObject({
      status: 400,
      body: { __all__: ['Cannot remove choice x: objects of dcim.site use it.'] },
    });
    expect((await test.api.delete(path)).status).toBe(409);
  });

  it('prevent the deletion of a choice that objects have by default', async () => {
    const choices = ['first', 'second'].map((value) => [value, value]);
    const { body } = await test.api.post<Json>(sets, { json: { name: 'Initial', extra_choices: choices } });
    const json = { name: 'initially', type: 'select', default: 'first', choice_set: body['id'] };
    const field = await test.api.post<Json>(fields, { json: { ...json, object_types: ['dcim.site'] } });
    await test.api.patch(`${fields}${String(field.body['id'])}/`, { json: { default: null } });
    const path = `${sets}${String(body['id'])}/`;
    expect(await test.api.patch(path, { json: { extra_choices: choices.slice(1) } })).toMatchObject({
      status: 400,
      body: { __all__: ['Cannot remove choice first: objects of dcim.site use it.'] },
    });
    await test.api.delete(`${fields}${String(field.body['id'])}/`);
  });

  it('retain their values when a migration replaces names by ids as keys', async () => {
    const { pool } = test.inventory.database;
    const json = [
      { name: 'moved', type: 'text', object_types: ['dcim.region'] },
      { name: '77', type: 'integer', object_types: ['dcim.region'] },
    ];
    const made = await test.api.post<Json[]>(fields, { json });
    const named = { moved: 'here', '77': 4, gone: 1, empty: null };
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO dcim_region (name, slug, custom_field_data) VALUES ('Named', 'named', $1) RETURNING id`,
      [named],
    );
    const path = join(migrationsFolder, '20261124195810_custom_field_keys', 'migration.sql');
    const migration = await readFile(path, 'utf8');
    // The migration runs twice, as after an interruption.
    await pool.query(migration);
    await pool.query(migration);
    const shown = await test.api.get<Json>(`/api/dcim/regions/${String(rows[0]?.id)}/`);
    expect(shown.body['custom_fields']).toMatchObject({ moved: 'here', '77': 4 });
    await test.api.delete(fields, { json: made.body.map(({ id }) => ({ id })) });
  });

  it.each([
    ['IATA', ['BER', 'GKA', 'LHR'], 'QQQ'],
    ['ISO_3166', ['DE', 'NO'], 'ZZ'],
  ])('return, count and accept the base choices of the choice set %s', async (base, codes, unknown) => {
    const json = { name: base, base_choices: base, extra_choices: [['own', 'Own']] };
    const { body } = await test.api.post<Json>(sets, { json });
    const path = `${sets}${String(body['id'])}/choices/`;
    const listed = await test.api.get<{ count: number; results: Json[] }>(path, { query: { limit: 1000 } });
    expect(listed.body.count).toBe(body['choices_count']);
    expect(listed.text.match(/"results":/gu)).toHaveLength(1);
    const found = await test.api.get<{ results: Json[] }>(path, { query: { q: codes[0] } });
    expect(found.body.results.map(({ id }) => id)).toContain(codes[0]);
    const name = `code_${base}`.toLowerCase();
    const field = await test.api.post<Json>(fields, {
      json: { name, type: 'multiselect', choice_set: body['id'], object_types: ['dcim.region'] },
    });
    const region = (slug: string, values: readonly string[]) =>
      test.api.post<Json>('/api/dcim/regions/', { json: { name: slug, slug, custom_fields: { [name]: values } } });
    expect((await region(`${base}-known`, [...codes, 'own'])).status).toBe(201);
    expect((await region(`${base}-unknown`, [unknown])).body).toEqual({
      __all__: [`Invalid value for custom field '${name}': Invalid choice(s) (${unknown}) for choice set ${base}.`],
    });
    // A stored code that is no longer in the list stays valid, even when the object changes.
    const stored = (await region(`${base}-stored`, ['own'])).body['id'];
    await test.inventory.database.query(
      'UPDATE dcim_region SET custom_field_data = jsonb_build_object(custom_field_key($1, $2), $3::jsonb) WHERE id = $4',
      [name, 'dcim.region', JSON.stringify([unknown]), stored],
    );
    const changed = await test.api.patch(`/api/dcim/regions/${String(stored)}/`, { json: { description: 'changed' } });
    expect(changed).toMatchObject({ status: 200, body: { custom_fields: { [name]: [unknown] } } });
    await test.api.delete(`${fields}${String(field.body['id'])}/`);
  });

  it('return the choices of a choice set in pages', async () => {
    const json = { name: 'Many', extra_choices: ['One', 'Two', 'Three'].map((label) => [label.toLowerCase(), label]) };
    const { body } = await test.api.post<Json>(sets, { json });
    const path = `${sets}${String(body['id'])}/choices/`;
    expect((await test.api.get(`${path}?limit=2`)).body).toEqual({
      count: 3,
      next: `http://localhost${path}?limit=2&offset=2`,
      previous: null,
      results: [
        { id: 'one', display: 'One' },
        { id: 'two', display: 'Two' },
      ],
    });
    expect((await test.api.get(`${path}?q=THR`)).body).toMatchObject({ results: [{ id: 'three' }] });
    expect((await test.api.get(`${sets}9999/choices/`)).status).toBe(404);
    expect((await test.stranger.get(path)).status).toBe(403);
    expect((await test.api.post(path, { json: {}, unchecked: true })).status).toBe(405);
  });

  it.each<[Json, Json]>([
    [{ name: 'a__b' }, { name: ['Double underscores are not permitted in custom field names.'] }],
    [{ name: 'a b' }, { name: ['Only alphanumeric characters and underscores are allowed.'] }],
    [{ type: 'select' }, { choice_set: ['Selection fields must specify a set of choices.'] }],
    [{ choice_set: { name: 'cs' } }, { choice_set: ['Choices may be set only on selection fields.'] }],
    [{ type: 'object' }, { related_object_type: ['Object fields must define an object type.'] }],
    [{ related_object_type: 'dcim.site' }, { related_object_type: ['text fields may not define an object type.'] }],
    [{ validation_minimum: 1 }, { validation_minimum: ['A minimum value may be set only for numeric fields'] }],
    [{ type: 'boolean', unique: true }, { unique: ['Uniqueness cannot be enforced for boolean fields'] }],
    [{ type: 'integer', default: 'x' }, { default: ['Invalid default value "x": Value must be an integer.'] }],
    [{ validation_regex: '(' }, { validation_regex: ['Enter a valid regular expression.'] }],
    [{ object_types: ['users.user'] }, { object_types: ['Invalid content type: users.user'] }],
  ])('reject the field definition %j', async (more, body) => {
    const json = { name: 'wrong', type: 'text', object_types: ['dcim.site'], ...more };
    expect(await test.api.post(fields, { json })).toMatchObject({ status: 400, body });
  });

  it('reject a change of the type of a field', async () => {
    const body = { type: ['Changing the type of custom fields is not supported.'] };
    expect(await test.api.patch(`${fields}1/`, { json: { type: 'integer' } })).toMatchObject({ status: 400, body });
  });
});
