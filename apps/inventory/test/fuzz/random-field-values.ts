import fc from 'fast-check';

/** Words for random texts. The words have a meaning for fields or filters, or resemble such words. */
const words = [
  'Delta 10|delta-2|Echo|active|dcim.site|ipam.prefix|users.user|dcim.nope|nope.nope|dcim|null|true|False|x|-|_|%|(|[a|*',
  '10.0.0.0/8|10.0.0.0/33|10.0.0.1|::/0|fe80::1%eth0|1.2.3.4/-1|256.1.1.1|00:11:22:33:44:55|65000:1|nonsense/24',
  '2026-02-31|2026-02-03T04:05:06Z|0000-00-00|294276-12-31|-4713-01-01|25:61|99999999999999999999|1e400|-1|0|0x10|1_000|NaN',
  'Europe/Berlin|Mars/Base|00000000-0000-4000-8000-000000000000|https://example.com/|javascript:1|ff0000|{{ x }}|{% for',
  '^(a+)+$|(((a{1,99}){1,99}){1,99}){1,99}|(?=(a|aa)+$)(a+)+c|^(a+)(a+)\\1\\2c$|[[:nope:]]',
  'root|constrained|__proto__|constructor|toString|id|display|a__b|../..|a,b|id,-name|1,2|infinity|1e-400|١٢٣|ß|İ',
].flatMap((line) => line.split('|'));

/** Generates random texts of all kinds: known words, lone surrogates, null characters, and texts that are too long. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...words) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }).map(String) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('', ' ', 'a\u0000b', '\ud800', 'a\udfff', '\u202e', 'x'.repeat(101), 'é'.repeat(5_001)),
  },
);

/** Prefix of texts that {@link jsonText} writes as numbers, because JavaScript cannot represent these numbers. */
const numeral = 'numeral:';

const anyNumber: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: -1, max: 12 }),
  fc.constantFrom(
    0.5,
    -0,
    1e30,
    -1e30,
    5e-324,
    2 ** 31,
    -(2 ** 31) - 1,
    32_768,
    2 ** 53,
    2 ** 63,
    1e308,
    4_294_967_296,
  ),
  fc
    .constantFrom('1e400', '-1e400', '1e-400', '9'.repeat(400), '9223372036854775808', `0.${'1'.repeat(200)}`)
    .map((digits) => numeral + digits),
);

const keys = fc.oneof(
  fc.constantFrom('id', 'name', 'slug', 'pk', 'and', 'attr', 'value', 'type', 'object_id', 'name__ic', 'site__name'),
  fc.constantFrom(
    'region__parent__parent__parent__parent__name',
    `${'parent__'.repeat(50)}name`,
    'name__regex',
    'id__in',
  ),
  fc.constantFrom('site__region__name', '__proto__', 'constructor', '', 'a\u0000b', 'username', 'model', '0', 'nope'),
);

/** Very long lists in which the same items occur many times. */
const longLists = [
  Array.from({ length: 3_000 }, (_, index) => index % 50),
  Array.from({ length: 500 }, (_, index) => ({ name: `x${index % 9}`, slug__in: ['a', 'b'], id: index })),
  Array.from({ length: 200 }, () => ({ region__parent__parent__name__icontains: 'x' })),
];

/** Generates random JSON values of all kinds, from nearly valid values to meaningless values that are deeply nested. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(
    { weight: 5, arbitrary: anyText },
    { weight: 4, arbitrary: anyNumber },
    { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false) },
    { weight: 1, arbitrary: fc.constantFrom(nested(60, []), nested(60, {}), nested(3_000, [])) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...longLists) },
  ),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 6, arbitrary: tie('leaf') },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.array(fc.tuple(keys, tie('value')), { maxLength: 3 }).map(objectOf) },
  ),
})).value;

function nested(depth: number, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < depth; level += 1) value = Array.isArray(innermost) ? [value] : { a: value };
  return value;
}

/** Returns an object with the given properties. A property may be named `__proto__`. */
export function objectOf(properties: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(properties);
}

/** Returns the JSON text of a value. Texts with the prefix {@link numeral} are written as numbers. */
export function jsonText(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(/"numeral:([^"]+)"/g, '$1');
}
