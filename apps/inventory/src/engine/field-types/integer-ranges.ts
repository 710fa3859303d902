import type { ModelField } from '../declaration/field.js';
import { createJsonTextFragment, createComputedJsonFragment, type SqlText } from '../sql/json-text-sql.js';
import { createNotAListProblem, parseEachListItem, createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

/** Options of an integer ranges field: the bounds of all ranges, and the word for the numbers in error messages. */
export interface IntegerRangesFieldOptions extends FieldPropertyOptions<readonly string[]> {
  readonly min: number;
  readonly max: number;
  readonly noun: string;
}

/**
 * Creates a field for a list of integer ranges that must not overlap. JSON contains each range as `[low, high]`, with
 * both bounds included (docs/contract/inventory.md 1.10). The column type is `int4range[]`.
 */
export function integerRangesField(options: IntegerRangesFieldOptions): ModelField<readonly string[]> {
  const schema = {
    type: 'array',
    items: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
  };
  const json = (own: SqlText): SqlText =>
    `(SELECT coalesce(json_agg(json_build_array(lower(r), upper(r) - 1) ORDER BY n), '[]')::text FROM unnest(${own}) WITH ORDINALITY AS ranges(r, n))`;
  // Change records contain the list as a JSON text, in which each range is a string (docs/contract/inventory.md 4).
  const bounds = (own: SqlText): SqlText => {
    const range = `'{"bounds": "[)", "lower": "' || lower(r) || '", "upper": "' || upper(r) || '"}'`;
    return `(SELECT coalesce(jsonb_agg(${range} ORDER BY n), '[]')::text FROM unnest(${own}) WITH ORDINALITY AS ranges(r, n))`;
  };
  return {
    kind: 'integerRanges',
    traits: addDefaultFieldProperties(options, []),
    column: (name) => ({ name, type: 'int4range[]' }),
    json: (place) => [createComputedJsonFragment(json(createQualifiedColumnSql(place, place.name)))],
    snapshot: (place) => [createJsonTextFragment(bounds(createQualifiedColumnSql(place, place.name)))],
    input: (value) => {
      if (value === null) throw createInvalidInputProblem('This field may not be null.');
      if (!Array.isArray(value)) throw createNotAListProblem(value);
      if (value.length === 0) throw createInvalidInputProblem('This list may not be empty.');
      const pairs = parseEachListItem(value, (item: unknown) => parseRangePair(item));
      const ranges = pairs.map((pair) => parseIntegerRange(pair, options));
      rejectOverlappingRanges(ranges);
      return ranges.map(([low, high]) => `[${low},${high}]`);
    },
    schema: { read: () => schema, write: () => schema },
    metadata: { type: 'field', child: { type: 'field', required: false, read_only: false } },
    filters: () => [],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
  };
}

function parseRangePair(item: unknown): readonly [low: unknown, high: unknown] {
  const [low, high]: unknown[] = Array.isArray(item) && item.length === 2 ? item : [];
  if (low === undefined || high === undefined)
    throw createInvalidInputProblem('Ranges must be specified in the form (lower, upper).');
  return [low, high];
}

function parseIntegerRange(
  [low, high]: readonly [unknown, unknown],
  { min, max, noun }: IntegerRangesFieldOptions,
): readonly [number, number] {
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high)) {
    throw createInvalidInputProblem('Range boundaries must be defined as integers.');
  }
  const [first, last] = [Number(low), Number(high)];
  if (first < min) throw createInvalidInputProblem(`Starting ${noun} in range (${first}) cannot be less than ${min}`);
  if (last > max) throw createInvalidInputProblem(`Ending ${noun} in range (${last}) cannot exceed ${max}`);
  if (first > last) {
    throw createInvalidInputProblem(
      `Ending ${noun} in range must be greater than or equal to the starting ${noun} (${first}-${last})`,
    );
  }
  return [first, last];
}

function rejectOverlappingRanges(ranges: readonly (readonly [number, number])[]): void {
  const sorted = ranges.toSorted(([a], [b]) => a - b);
  const overlaps = sorted.some(([low], index) => index > 0 && low <= (sorted[index - 1]?.[1] ?? 0));
  if (overlaps) throw createInvalidInputProblem('Ranges cannot overlap.');
}
