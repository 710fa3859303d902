import type { SqlText } from '../sql/json-text-sql.js';

export type {
  ListFilter,
  RequestedFilterValues,
  ModelFilterFactory,
  FiltersWithPrefix,
} from '../declaration/model-declaration-types.js';
export type { FilterLookupSuffix } from './filter-statement.js';

/** Error for an invalid filter value. The response is 400 with `{"<parameter>": ["<message>"]}`. */
export class InvalidFilterValueError extends Error {
  override readonly name = 'FilterProblem';

  constructor(readonly text: string) {
    super(text);
  }
}

/**
 * Returns the negation of an SQL condition. The negation matches rows for which the condition is false or null. It
 * contains no function call, so that PostgreSQL can still use indexes.
 */
export function negateSqlCondition(condition: SqlText): SqlText {
  return `(${condition}) IS NOT TRUE`;
}

/** Returns the error message for a filter value that names neither an existing object nor an allowed choice. */
export function createInvalidChoiceMessage(value: string): string {
  return `Select a valid choice. ${value} is not one of the available choices.`;
}

/**
 * Parses a filter value as a boolean. Accepts `true`, `True`, 1 and 2 as true, and `false`, `False`, 0 and 3 as false.
 * Returns null for any other text, because the reference API ignores other values of a boolean filter.
 */
export function parseBooleanFilterValue(value: string): boolean | null {
  if (['true', 'True', '1', '2'].includes(value)) return true;
  return ['false', 'False', '0', '3'].includes(value) ? false : null;
}
