import type { Services } from '../services.js';
import type { Sql } from '../sql/pieces.js';
import type { Parameters } from '../sql/statement.js';

/** A lookup: the suffix of a filter, such as `ic` in `name__ic` (docs/contract/inventory.md 1.9). */
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

/** Values of one filter in a query, and the statement that they are compiled into. */
export interface FilterStatement {
  /** `<app>.<model>` of the list. */
  readonly modelType: string;
  /** Alias of the filtered table. */
  readonly alias: string;
  /** At least one value, none of them empty. */
  readonly values: readonly string[];
  readonly lookup: Lookup | null;
  readonly parameters: Parameters;
  /** Id of the requesting user. */
  readonly userId: number;
  readonly services: Pick<Services, 'fingerprints' | 'limits'>;
  /** Reports that the condition matches a pattern of the client, so that the statement gets a timeout. */
  runsPattern(): void;
  /**
   * Reports that the best plan depends on the value. A generic plan would read the list in its order until a page is
   * full, which for a rare value is the whole table.
   */
  needsOwnPlan(): void;
  /**
   * Makes the statement compute ids once, for both its count and its page.
   *
   * @param ids a SELECT of ids in the model's default order
   * @returns an array expression of the ids
   */
  computeOnce(ids: Sql): Sql;
  /**
   * Makes the statement check that each value names an object. The request fails with the messages of those that do
   * not. This needs no further statement.
   *
   * @param values distinct values
   * @param type SQL type of the values
   * @param exists returns the condition for the expression of a value
   */
  mustExist(
    values: readonly string[],
    type: string,
    exists: (value: Sql) => Sql,
    message: (value: string) => string,
  ): void;
}
