import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import type { JsonSchema } from '../meta/json-schema.js';
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

/** Values of one filter in a query, and the context to compile them. */
export interface FilterRequest {
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
  /** Returns the SQL condition that the user may view a row of a model. */
  mayView(model: ModelDefinition, alias: string): Sql;
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

/** A query parameter that filters a list. */
export interface Filter {
  readonly name: string;
  /** Lookups that the filter supports in addition to equality. */
  readonly lookups: readonly Lookup[];
  /** True if repeated parameters add values; otherwise only the last one counts. */
  readonly multiple: boolean;
  /** OpenAPI schema of one value. */
  readonly schema: JsonSchema;
  /** True if the filter may take long whatever it matches. The list then counts as a heavy read. */
  readonly isHeavy?: boolean;
  /**
   * Returns the condition on a row, or null if the values are to be ignored.
   *
   * @throws FilterProblem if a value is invalid
   */
  compile(request: FilterRequest): Sql | null;
}

/** Creates filters once all models are declared. Returns none if a model that they need is not declared. */
export type FilterSource = (model: ModelDefinition, registry: Registry) => readonly Filter[];

/** Error for an invalid filter value. The response is 400 with `{"<parameter>": ["<message>"]}`. */
export class FilterProblem extends Error {
  override readonly name = 'FilterProblem';

  constructor(readonly text: string) {
    super(text);
  }
}

/**
 * Negates a condition: matches rows for which it is false or null. It wraps the condition without a function, so that
 * indexes still apply.
 */
export function except(condition: Sql): Sql {
  return `(${condition}) IS NOT TRUE`;
}

/** Returns the message for a value that names no object or choice. */
export function notAChoice(value: string): string {
  return `Select a valid choice. ${value} is not one of the available choices.`;
}

/** Parses a boolean. Returns null for any other text, which the reference API ignores. Accepts 1 and 0 as well. */
export function readFlag(value: string): boolean | null {
  if (['true', 'True', '1', '2'].includes(value)) return true;
  return ['false', 'False', '0', '3'].includes(value) ? false : null;
}
