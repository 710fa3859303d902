import fc from 'fast-check';
import type { ModelDefinition } from '../../src/engine/declaration/define-model.js';
import { getFiltersOfModel } from '../../src/engine/filter/compile-filters.js';
import { modelRegistry } from '../../src/models/index.js';
import { anyText, anyValue, jsonText, objectOf } from './random-field-values.js';
import { identities } from './service-under-fuzz-test.js';

/** A random HTTP request, which may be invalid. */
export interface FuzzedRequest {
  readonly identity: (typeof identities)[number];
  readonly method: (typeof methods)[number];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

type Json = Readonly<Record<string, unknown>>;
type Field = readonly [name: string, value: string];

/** HTTP methods from which requests choose at random. In `mostly`, common methods occur several times. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const;
const mostly = ['GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE'] as const;

const lookups = 'n ic nic isw nisw iew niew ie nie empty regex iregex lt lte gt gte any nope in'.split(' ');
const everyList = 'limit offset start ordering fields omit brief exclude export format q filter filter_id'.split(' ');
const strangers = 'cf_nope tag tag__n created_by_request id id__gte nope __proto__ name__ created cf_ attr_x'.split(
  ' ',
);

/** Generates random ids for URL paths and request bodies, most of which belong to existing objects. */
const anyId = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 8 }).map(String) },
  { weight: 2, arbitrary: fc.constantFrom('0', '-1', '1.5', '1e3', '9223372036854775808', '9'.repeat(40), '٣', '%00') },
  { weight: 1, arbitrary: anyText.map((text) => encodeURIComponent(text.toWellFormed())) },
);

const accepts = [
  'text/html',
  '*/*',
  'application/json; indent=4',
  'application/json; version=9',
  'text/plain',
  ',;q=x',
];
const types = ['application/json; charset=utf-16', 'text/plain', 'multipart/form-data', 'application/x-yaml', ';', ''];

const anyHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constantFrom(...accepts).map((accept) => ({ accept })) },
  { weight: 1, arbitrary: fc.constantFrom(...types).map((type) => ({ 'content-type': type })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('*', 'W/"x"', '"', ',,').map((tag): Record<string, string> => ({ 'if-match': tag })),
  },
  { weight: 1, arbitrary: fc.constantFrom('true', 'x').map((strict) => ({ 'x-strict-filters': strict })) },
);

const boundary = 'ThisIsTheEnd';

/** Generates random request bodies, each with its content type. */
function anyBody(value: fc.Arbitrary<unknown>): fc.Arbitrary<{ type?: string; payload?: string }> {
  const json = value.map((one) => ({ type: 'application/json', payload: jsonText(one) }));
  const broken = fc.constantFrom('', '{', '[1,', 'nul', '"\\ud800"', '{"a":1}{', '\u0000', '{"id":}', 'NaN');
  const form = fc.array(fc.tuple(anyText, anyText), { maxLength: 3 }).map((fields) => ({
    type: `multipart/form-data; boundary=${boundary}`,
    payload: `${fields.map(([name, text]) => part(name, text)).join('')}--${boundary}--\r\n`,
  }));
  return fc.oneof(
    { weight: 20, arbitrary: json },
    { weight: 2, arbitrary: broken.map((payload) => ({ type: 'application/json', payload })) },
    { weight: 1, arbitrary: form },
    { weight: 1, arbitrary: fc.constant({}) },
  );
}

function part(name: string, text: string): string {
  const safe = name.toWellFormed().replaceAll(/["\r\n]/g, '');
  return `--${boundary}\r\ncontent-disposition: form-data; name="${safe}"\r\n\r\n${text.toWellFormed()}\r\n`;
}

/** Generates random query strings. Most contain known parameters, and some contain meaningless text. */
function anyQuery(names: readonly string[]): fc.Arbitrary<string> {
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...names) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...names), fc.constantFrom(...lookups))
        .map(([base, lookup]) => `${base}__${lookup}`),
    },
    { weight: 3, arbitrary: fc.constantFrom(...everyList) },
    { weight: 1, arbitrary: fc.constantFrom(...strangers) },
  );
  const fields: fc.Arbitrary<Field[]> = fc.array(fc.tuple(name, anyText), { minLength: 1, maxLength: 4 });
  const count = fc.integer({ min: 10, max: 400 });
  // One parameter with many values, or a list of names with repetitions.
  const long = fc.oneof(
    fc
      .tuple(name, anyText, count)
      .map(([key, text, times]) =>
        Array.from({ length: times }, (_, index): Field => [key, text + (index % 7 ? index : '')]),
      ),
    fc
      .tuple(
        fc.constantFrom('ordering', 'fields', 'omit'),
        fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 40 }),
        count,
      )
      .map(([key, some, times]): Field[] => [
        [key, Array.from({ length: times }, (_, index) => some[index % some.length]).join(',')],
      ]),
  );
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    {
      weight: 8,
      arbitrary: fields.map(
        (all) => `?${new URLSearchParams(all.map(([key, text]): [string, string] => [key, text]))}`,
      ),
    },
    {
      weight: 1,
      arbitrary: long.map((all) => `?${new URLSearchParams(all.map(([key, text]): [string, string] => [key, text]))}`),
    },
    { weight: 1, arbitrary: fc.constantFrom('?%', '?%ZZ=1', '?id=%ff', '?a[b]=1&a[]=2', '?=&&=', '?q=%00', '?limit') },
  );
}

/**
 * Generates random request bodies for objects of a model. A body is a valid body with a few changes, or an arbitrary
 * value.
 */
function anyObject(model: ModelDefinition, bodies: readonly Json[]): fc.Arbitrary<unknown> {
  const names = [...Object.keys(model.fields), 'changelog_message', 'add_tags', 'remove_tags', 'nope'];
  const changes = fc.array(fc.tuple(fc.constantFrom(...names), anyValue), { maxLength: 3 }).map(objectOf);
  const fitting = fc
    .tuple(fc.constantFrom(...(bodies.length > 0 ? bodies : [{}])), changes)
    .map(([body, changed]) => ({ ...body, ...changed }));
  return fc.oneof(
    { weight: 4, arbitrary: fitting },
    { weight: 4, arbitrary: changes },
    { weight: 1, arbitrary: anyValue },
  );
}

/** Generates random lists of objects for request bodies. The ids of the objects are existing, unknown or invalid. */
function anyList(object: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const id = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }) }, { weight: 1, arbitrary: anyValue });
  const named = fc
    .tuple(id, object)
    .map(([one, rest]) => (typeof rest === 'object' && rest !== null ? { id: one, ...rest } : rest));
  return fc.array(fc.oneof(named, named, object), { maxLength: 4 });
}

interface Target {
  readonly path: fc.Arbitrary<string>;
  readonly method: fc.Arbitrary<FuzzedRequest['method']>;
  readonly names: readonly string[];
  readonly body: fc.Arbitrary<unknown>;
}

function requestTo({ path, method, names, body }: Target): fc.Arbitrary<FuzzedRequest> {
  return fc
    .record({
      identity: fc.constantFrom('superuser', 'superuser', 'superuser', ...identities),
      method,
      path,
      query: anyQuery(names),
      headers: anyHeaders,
      body: anyBody(body),
    })
    .map(({ identity, method: verb, path: where, query, headers, body: { type, payload } }) => ({
      identity,
      method: verb,
      url: where + query,
      headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
      ...(payload !== undefined && verb !== 'GET' && verb !== 'HEAD' && { payload }),
    }));
}

/** Generates random requests for the list of a model and for single objects of the model. */
export function requestsTo(
  model: ModelDefinition,
  bodies: readonly Json[],
): Record<string, fc.Arbitrary<FuzzedRequest>> {
  const names = [...getFiltersOfModel(model, modelRegistry).keys()];
  const object = anyObject(model, bodies);
  const list = `/api/${model.path}/`;
  const body = fc.oneof(object, anyList(object));
  const method = fc.constantFrom(...mostly, ...methods);
  return {
    list: requestTo({ path: fc.constant(list), method, names, body }),
    object: requestTo({ path: anyId.map((id) => `${list}${id}/`), method, names, body }),
  };
}

/** Generates random requests for a URL path. In the path, an id replaces `:id`. */
export function requestsToPath(path: string, body: fc.Arbitrary<unknown>): fc.Arbitrary<FuzzedRequest> {
  return requestTo({
    path: anyId.map((id) => path.replace(':id', () => id)),
    method: fc.constantFrom(...mostly, ...methods),
    names: ['id', 'name', 'version', 'user'],
    body,
  });
}
