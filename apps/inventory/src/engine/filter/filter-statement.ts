import type { ModelHookServices } from '../model-hook-services.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';

/** A lookup: the suffix of a filter's name after `__`, such as `ic` in `name__ic` (docs/contract/inventory.md 1.9). */
export type FilterLookup =
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

/** Values of one filter in a query string, and the SQL statement for which the filter is compiled. */
export interface FilterStatement {
  /** Model of the listed objects, as `<app>.<model>`. */
  readonly modelType: string;
  /** SQL alias of the filtered table. */
  readonly alias: string;
  /** Values of the filter in the query string: at least one, and no empty value. */
  readonly values: readonly string[];
  readonly lookup: FilterLookup | null;
  readonly parameters: SqlParameters;
  /** Id of the requesting user. */
  readonly userId: number;
  readonly services: Pick<ModelHookServices, 'fingerprints' | 'limits'>;
  /**
   * Called if the filter's condition matches a regular expression from the client, so that the statement gets a
   * timeout.
   */
  runsPattern(): void;
  /**
   * Requests that PostgreSQL plans the statement for this value. A generic plan reads the list in its order until a
   * page is full, and for a rare value reads the whole table.
   */
  needsOwnPlan(): void;
  /**
   * Computes a list of ids once per statement, for both the count and the page of the list.
   *
   * @param ids a SELECT of ids in the model's default order
   * @returns an array expression of the ids
   */
  computeOnce(ids: SqlText): SqlText;
  /**
   * Adds a check to the statement that each filter value identifies an existing object. If a value does not, the
   * request fails with the message for that value.
   *
   * @param values distinct values
   * @param type SQL type of the values
   * @param exists returns the condition for the SQL expression of a value
   */
  mustExist(
    values: readonly string[],
    type: string,
    exists: (value: SqlText) => SqlText,
    message: (value: string) => string,
  ): void;
}
