import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import type { JsonSchema } from '../meta/json-schema.js';
import type { Services } from '../services.js';
import type { Sql } from '../sql/pieces.js';
import type { Parameters } from '../sql/statement.js';

/** A lookup suffix (`name__ic`), without the underscores (docs/contract/inventory.md 1.9). */
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

/** The values that a query gives to one filter. */
export interface FilterRequest {
  /** `<app>.<model>` of the list. */
  readonly modelType: string;
  /** Alias of the table that is filtered. */
  readonly alias: string;
  /** At least one, none of them empty. */
  readonly values: readonly string[];
  readonly lookup: Lookup | null;
  readonly parameters: Parameters;
  /** Id of the requesting user; 0 for an unknown one. */
  readonly userId: number;
  /** SQL: whether the user may view a row of a model. */
  mayView(model: ModelDefinition, alias: string): Sql;
  readonly services: Pick<Services, 'fingerprints' | 'limits'>;
  /** Says that the condition runs a pattern from outside: the statement then gets a bound in time. */
  runsPattern(): void;
  /**
   * Says that which plan is right depends on the value: a plan made for any would walk through the list in its order
   * until a page is full, which for a rare text is all of it.
   */
  needsOwnPlan(): void;
  /**
   * Makes the statement compute ids once, for its count and for its page.
   *
   * @param ids a SELECT of ids in the model's own order
   * @returns an array expression of them
   */
  computeOnce(ids: Sql): Sql;
  /**
   * Makes the statement look up whether each value names something; the query is answered with the messages of those
   * that do not. It costs no statement of its own.
   *
   * @param values different ones, as the database reads them
   * @param exists the condition for one value, given its expression
   */
  mustExist(
    values: readonly string[],
    type: string,
    exists: (value: Sql) => Sql,
    message: (value: string) => string,
  ): void;
}

/** A query parameter that narrows a list. */
export interface Filter {
  readonly name: string;
  /** Suffixes it also takes. */
  readonly lookups: readonly Lookup[];
  /** True if repeated parameters add values; otherwise the last one counts. */
  readonly multiple: boolean;
  /** Schema of one value in OpenAPI. */
  readonly schema: JsonSchema;
  /** True if a list with the filter may take long whatever it finds, and counts as a heavy read. */
  readonly isHeavy?: boolean;
  /**
   * The condition on a row; null when the values ask for nothing.
   *
   * @throws FilterProblem when a value cannot be read
   */
  compile(request: FilterRequest): Sql | null;
}

/** Makes filters once every model is known: none while a model that they need is not declared. */
export type FilterSource = (model: ModelDefinition, registry: Registry) => readonly Filter[];

/** A value that a filter cannot read; answered as `{"<parameter>": ["<message>"]}` with status 400. */
export class FilterProblem extends Error {
  override readonly name = 'FilterProblem';

  constructor(readonly text: string) {
    super(text);
  }
}

/**
 * Rows that a condition does not hold for, those included for which it is null. The condition itself stays as it is:
 * wrapped in a function it could not use an index.
 */
export function except(condition: Sql): Sql {
  return `(${condition}) IS NOT TRUE`;
}

/** The message for a value that names nothing. */
export function notAChoice(value: string): string {
  return `Select a valid choice. ${value} is not one of the available choices.`;
}

/** Reads true or false; null for anything else, which the reference API ignores. 1 and 0 are taken as well. */
export function readFlag(value: string): boolean | null {
  if (['true', 'True', '1', '2'].includes(value)) return true;
  return ['false', 'False', '0', '3'].includes(value) ? false : null;
}
