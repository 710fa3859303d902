import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';
import { negateSqlCondition, type FilterLookupSuffix, type FiltersWithPrefix } from './filter-problem.js';

const jsonOperatorByLookup: Partial<Record<FilterLookupSuffix, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/**
 * Returns filters named `<prefix><key>`, which compare the value under a key of a JSON object. A filter value that is
 * valid JSON (`5`, `true`) is compared as a JSON value, and any other text is compared as a string. If the request has
 * several filter values, only the last value is used.
 */
export function jsonKeyFilters(prefix: string, object: (alias: string) => SqlText): FiltersWithPrefix {
  return {
    prefix,
    filter: (key) => ({
      name: `${prefix}${key}`,
      lookups: ['n', 'lt', 'lte', 'gt', 'gte'],
      multiple: false,
      schema: { type: 'string' },
      compile: ({ alias, values, lookup, parameters }) => {
        const own = `(${object(alias)} -> ${quoteSqlLiteral(key.replaceAll('\0', ''))})`;
        const requested = parameters.add(convertFilterValueToJson(values.at(-1) ?? ''), 'jsonb');
        const operator = lookup === null ? undefined : jsonOperatorByLookup[lookup];
        if (operator !== undefined)
          return `(jsonb_typeof(${own}) = jsonb_typeof(${requested}) AND ${own} ${operator} ${requested})`;
        return lookup === 'n' ? negateSqlCondition(`${own} = ${requested}`) : `${own} = ${requested}`;
      },
    }),
  };
}

function convertFilterValueToJson(value: string): string {
  const text = value.replaceAll('\0', '');
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return JSON.stringify(text);
  }
}
