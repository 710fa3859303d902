import fc from 'fast-check';

/** The keywords of JSON Schema that parameters of the OpenAPI document use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

/** Named schemas of the OpenAPI document to which other schemas refer. */
export type Components = Readonly<Record<string, Schema>>;

/** Words that have a meaning in the demo realm or for an endpoint, such as names. */
const words = [
  'Verona|core team|Denmark|events|iago@example.com|user2@example.com|King Hamlet|x|2',
  'channel|direct|topic|sender|dm|is|has|near|newest|date|change_all|unlimited|color|pin_to_top|volume',
  'smile|1f642|unicode_emoji|green_tick|role:members|#abcdef|https://example.com/|/poll a|@**all**|mobile',
  'Europe/Berlin|en|2026-02-31|2026-02-03T04:05Z|true|null|[1]|"x"|{}|100|-1|1e400|99999999999999999999|2147483648|| ',
].flatMap((line) => line.split('|'));

/** Generates texts of all kinds: known words, lone surrogates, null bytes, and text that is too long. */
export const anyText = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...words) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.constantFrom('a\u0000b', 'x'.repeat(61), 'x'.repeat(1_001), 'x'.repeat(10_001)) },
);

/**
 * Generates numbers: mostly small numbers that are ids of demo objects, otherwise limits of database columns and of
 * JavaScript numbers.
 */
const anyNumber = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 25 }) },
  { weight: 3, arbitrary: fc.integer({ min: 26, max: 400 }) },
  { weight: 2, arbitrary: fc.constantFrom(-1, 0, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1) },
  { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double()) },
);

const anyValue = fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 2 }));

const deepest = 4;

/** Generates values that fit a JSON schema, except for an occasional arbitrary part. */
export function valueOf(schema: Schema, components: Components, depth = 0): fc.Arbitrary<unknown> {
  if (depth > deepest) return anyValue;
  return fc.oneof(
    { weight: 15, arbitrary: valuesOfSchema(schema, components, depth) },
    { weight: 1, arbitrary: anyValue },
  );
}

function valuesOfSchema(schema: Schema, components: Components, depth: number): fc.Arbitrary<unknown> {
  const { $ref: ref, type, anyOf = schema.oneOf } = schema;
  if (ref !== undefined) return valueOf(components[ref.split('/').at(-1) ?? ''] ?? {}, components, depth);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => valueOf(one, components, depth)));
  if (typeof type !== 'string') return type === undefined ? anyValue : fc.oneof(...type.map(simple));
  if (type === 'array') return listOf(schema, components, depth);
  return type === 'object' ? objectOf(schema, components, depth) : simple(type);
}

function simple(type: string): fc.Arbitrary<unknown> {
  if (type === 'string') return anyText;
  if (type === 'boolean') return fc.boolean();
  return type === 'null' ? fc.constant(null) : anyNumber;
}

function listOf({ items, prefixItems }: Schema, components: Components, depth: number): fc.Arbitrary<unknown> {
  if (prefixItems !== undefined) return fc.tuple(...prefixItems.map((item) => valueOf(item, components, depth + 1)));
  const item = valueOf(typeof items === 'object' ? items : {}, components, depth + 1);
  return fc.oneof(
    { weight: 30, arbitrary: fc.array(item, { maxLength: 3 }) },
    { weight: depth === 0 ? 2 : 0, arbitrary: longList(item) },
  );
}

/** Generates lists that repeat one value, with lengths around the maximum that a request may contain. */
function longList(item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  return fc
    .tuple(item, fc.constantFrom(150, 1_001, 20_001))
    .map(([value, length]) => Array.from({ length }, () => value));
}

/**
 * Generates JSON that is nested as deeply as a request may be, one level deeper, or deeply enough to overflow the
 * stack.
 */
export const deepText = fc
  .tuple(fc.constantFrom(20, 21, 50_000), fc.constantFrom('1', '"\\u0041"', '"\\ud800"', '{}'))
  .chain(([depth, core]) =>
    fc.constantFrom(
      `${'['.repeat(depth)}${core}${']'.repeat(depth)}`,
      `${'{"a":'.repeat(depth)}${core}${'}'.repeat(depth)}`,
    ),
  );

function objectOf(schema: Schema, components: Components, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valueOf(one, components, depth + 1)])),
    { requiredKeys: [...required] },
  );
  const further = typeof others === 'object' ? valueOf(others, components, depth + 1) : anyValue;
  const most = typeof others === 'object' ? 3 : 0;
  return fc
    .tuple(known, fc.dictionary(anyText, further, { maxKeys: most }))
    .map(([fields, more]) => ({ ...more, ...fields }));
}

/** Returns true if a parameter with this schema is sent as plain text. Other parameters are sent as JSON. */
export function isText({ type, anyOf = [] }: Schema): boolean {
  if (anyOf.length > 0) return anyOf.every((one) => one.type === 'null' || isText(one));
  return type === 'string' || (Array.isArray(type) && type.includes('string'));
}
