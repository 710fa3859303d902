import type { ModelField, FieldProperties } from '../declaration/field.js';
import type { ModelFilterFactory } from '../filter/filter-problem.js';

/** Options of fields of any type; see {@link FieldProperties}. */
export interface FieldPropertyOptions<D = unknown> {
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly immutable?: boolean;
  /** Default value of the field in new objects, or a function that is called for each object. */
  readonly default?: D | (() => D);
  readonly label?: string;
  readonly help?: string;
  /** True if clients can omit the field from responses with the query parameter `exclude`. Default false. */
  readonly excludable?: boolean;
  /** True if clients can filter lists by the field. Default true. */
  readonly filterable?: boolean;
}

/**
 * Returns the properties of a field, with default values for options that are absent. `empty` is the value of the field
 * in new objects, unless the field is nullable.
 */
export function addDefaultFieldProperties(options: FieldPropertyOptions, empty: unknown): FieldProperties {
  return {
    required: options.required ?? false,
    nullable: options.nullable ?? false,
    readOnly: options.readOnly ?? false,
    writeOnly: options.writeOnly ?? false,
    immutable: options.immutable ?? false,
    filterable: options.filterable ?? true,
    excludable: options.excludable ?? false,
    default: options.default ?? (options.nullable === true ? null : empty),
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(options.help === undefined ? {} : { help: options.help }),
  };
}

/** Returns the field with additional filters. */
export function addFiltersToField<Stored>(field: ModelField<Stored>, source: ModelFilterFactory): ModelField<Stored> {
  return {
    ...field,
    filters: (name, registry, model) => [...field.filters(name, registry, model), ...source(model, registry)],
  };
}

/** Returns the SQL of a column name, prefixed with the alias of the column's table. */
export function createQualifiedColumnSql(place: { readonly alias: string }, column: string): string {
  return `${place.alias}."${column}"`;
}
