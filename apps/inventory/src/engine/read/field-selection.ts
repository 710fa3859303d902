import type { FieldSelectionParameters } from './object-json-fragments.js';

/**
 * Parses the query parameters `fields`, `omit`, `brief` and `exclude`. `brief` is true for any value except false and
 * 0. The reference API counts even those as true; inventory-4-query-5 requires `true`.
 */
export function parseFieldSelection(query: URLSearchParams, options: { brief: boolean }): FieldSelectionParameters {
  const brief = query.get('brief');
  return {
    fields: parseFieldNameList(query.get('fields')),
    omit: parseFieldNameList(query.get('omit')),
    exclude: options.brief ? (query.get('exclude') ?? '') : '',
    brief: options.brief && brief !== null && !['', 'false', 'False', '0'].includes(brief),
  };
}

function parseFieldNameList(given: string | null): string[] | null {
  return given === null || given === '' ? null : given.split(',').map((name) => name.trim());
}
