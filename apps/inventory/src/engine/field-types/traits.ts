import type { Field, Traits } from '../declaration/field.js';
import type { FilterSource } from '../filter/filter.js';

/** Options that fields of any kind accept; see {@link Traits}. */
export interface TraitOptions<D = unknown> {
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly immutable?: boolean;
  /** A value, or a function called for each new object. */
  readonly default?: D | (() => D);
  readonly label?: string;
  readonly help?: string;
  /** True if `exclude` omits the field when it names it. Default false. */
  readonly excludable?: boolean;
  /** True if lists can be filtered by the field. Default true. */
  readonly filterable?: boolean;
}

/** Completes the traits of a declaration. `empty` is the default of new objects. */
export function traits(options: TraitOptions, empty: unknown): Traits {
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

/** The field, with further filters. */
export function withFilters<Stored>(field: Field<Stored>, source: FilterSource): Field<Stored> {
  return {
    ...field,
    filters: (name, registry, model) => [...field.filters(name, registry, model), ...source(model, registry)],
  };
}

/** The column of a field on the table of its place. */
export function columnOf(place: { readonly alias: string }, column: string): string {
  return `${place.alias}."${column}"`;
}
