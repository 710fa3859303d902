import { literal, type Sql } from '../sql/pieces.js';
import { except, type Filter, type Lookup } from './filter.js';

/** Filters with a fixed prefix and a dynamic name, such as a key of a JSON object. */
export interface OpenFilters {
  readonly prefix: string;
  /** The filter called `<prefix><key>`. */
  filter(key: string): Filter;
}

const operators: Partial<Record<Lookup, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/**
 * Filters `<prefix><key>`: rows whose JSON object has this value under the key. JSON values are compared by type (`5`,
 * `true`), anything else as text. The last value counts.
 */
export function keyFilters(prefix: string, object: (alias: string) => Sql): OpenFilters {
  return {
    prefix,
    filter: (key) => ({
      name: `${prefix}${key}`,
      lookups: ['n', 'lt', 'lte', 'gt', 'gte'],
      multiple: false,
      schema: { type: 'string' },
      compile: ({ alias, values, lookup, parameters }) => {
        const own = `(${object(alias)} -> ${literal(key.replaceAll('\0', ''))})`;
        const wanted = parameters.add(asJson(values.at(-1) ?? ''), 'jsonb');
        const operator = lookup === null ? undefined : operators[lookup];
        if (operator !== undefined)
          return `(jsonb_typeof(${own}) = jsonb_typeof(${wanted}) AND ${own} ${operator} ${wanted})`;
        return lookup === 'n' ? except(`${own} = ${wanted}`) : `${own} = ${wanted}`;
      },
    }),
  };
}

function asJson(value: string): string {
  const text = value.replaceAll('\0', '');
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return JSON.stringify(text);
  }
}
