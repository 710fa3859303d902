import type { Services } from '../services.js';
import type { Sql } from '../sql/pieces.js';
import type { Parameters } from '../sql/statement.js';

/** A lookup: the suffix of a filter's name, such as `ic` in `name__ic` (docs/contract/inventory.md 1.9). */
export type Lookup =
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

/** Values of one filter in a query string, and the SQL statement that they are compiled into. */
export interface FilterStatement {
  /** Model of the listed objects, as `<app>.<model>`. */
  readonly modelType: string;
  /** SQL alias of the filtered table. */
  readonly alias: string;
  /** Values of the filter in the query string: at least one, and no empty value. */
  readonly values: readonly string[];
  readonly lookup: Lookup | null;
  readonly parameters: Parameters;
  /** Id of the requesting user. */
  readonly userId: number;
  readonly services: Pick<Services, 'fingerprints' | 'limits'>;
  /**
   * Called if the filter's condition matches a regular expression from the client, so that the statement gets a
   * timeout.
   */
  runsPattern(): void;
  /**
   * Called if the best plan of the statement depends on the filter's value. A generic plan would read the list in its
   * order until a page is full. For a rare value it would read the whole table.
   */
  needsOwnPlan(): void;
  /**
   * Makes the statement compute a list of ids once, for both its count and its page.
   *
   * @param ids a SELECT of ids in the model's default order
   * @returns an array expression of the ids
   */
  computeOnce(ids: Sql): Sql;
  /**
   * Makes the statement check that each filter value names an object. If a value does not, the request fails with the
   * message of that value.
   *
   * @param values distinct values
   * @param type SQL type of the values
   * @param exists returns the condition for the SQL expression of a value
   */
  mustExist(
    values: readonly string[],
    type: string,
    exists: (value: Sql) => Sql,
    message: (value: string) => string,
  ): void;
}
