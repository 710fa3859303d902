import type { ModelHookServices } from '../model-hook-services.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';

/**
 * Suffix of a filter's name after `__` that selects the comparison, such as `ic` in `name__ic`
 * (docs/contract/inventory.md 1.9).
 */
export type FilterLookupSuffix =
  | 'n'
  | 'ic'
  | 'nic'
  | 'isw'
  | 'nisw'
  | 'iew'
  | 'niew'
  | 'ie'
  | 'nie'
  | 'empty'
  | 'regex'
  | 'iregex'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'any';

/** Values of a request's query parameters by parameter name, without empty values. */
export type QueryParameterValues = ReadonlyMap<string, readonly string[]>;

/** Query parameters of a list request, and the parameters of the SQL statement that reads the list. */
export interface FilteredListStatement {
  readonly valuesByName: QueryParameterValues;
  readonly parameters: SqlParameters;
}

/** Values of one filter in a query string, and the SQL statement to which the compiled filter belongs. */
export interface FilterValuesWithStatement extends FilteredListStatement {
  /** Model of the listed objects, as `<app>.<model>`. */
  readonly modelType: string;
  /** SQL alias of the table whose rows are filtered. */
  readonly alias: string;
  /** Values of the filter in the query string. There is at least one value, and no value is empty. */
  readonly values: readonly string[];
  readonly lookup: FilterLookupSuffix | null;
  /** Id of the user who sent the request. */
  readonly userId: number;
  readonly services: Pick<ModelHookServices, 'fingerprints' | 'limits'>;
  /**
   * Records that the filter's condition matches a regular expression from the client, so that the statement gets a
   * timeout.
   */
  runsPattern(): void;
  /**
   * Requests that PostgreSQL plans the statement for the filter's values. A generic plan, which is reused for all
   * values, reads the list in sort order until a page is full. If the values are rare, the generic plan reads the whole
   * table.
   */
  needsOwnPlan(): void;
  /**
   * Adds a list of ids to the statement, which computes the list once and uses it for both the count and the page.
   *
   * @param ids a SELECT statement of ids in the model's default order
   * @returns an array expression of the ids
   */
  computeOnce(ids: SqlText): SqlText;
  /**
   * Adds a check to the statement that each filter value identifies an existing object. If a value identifies no
   * object, the request fails with the message for that value.
   *
   * @param values distinct values
   * @param type SQL type of the values
   * @param exists returns the SQL condition that the object exists, given the SQL expression of a value
   */
  mustExist(
    values: readonly string[],
    type: string,
    exists: (value: SqlText) => SqlText,
    message: (value: string) => string,
  ): void;
}
