import type { Traits } from '../declaration/field.js';

/** What a declaration may say about a field of any kind; see {@link Traits}. */
export interface TraitOptions<D = unknown> {
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly immutable?: boolean;
  /** A value, or a function that makes one for each new object. */
  readonly default?: D | (() => D);
  readonly label?: string;
  readonly help?: string;
  /** Whether lists can be narrowed by the field. True when absent. */
  readonly filterable?: boolean;
}

/** Fills what a declaration leaves out. `empty` is the value of a new object that is given none. */
export function traits(options: TraitOptions, empty: unknown): Traits {
  return {
    required: options.required ?? false,
    nullable: options.nullable ?? false,
    readOnly: options.readOnly ?? false,
    writeOnly: options.writeOnly ?? false,
    immutable: options.immutable ?? false,
    filterable: options.filterable ?? true,
    default: options.default ?? (options.nullable === true ? null : empty),
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(options.help === undefined ? {} : { help: options.help }),
  };
}

/** The column of a field on the table of its place. */
export function columnOf(place: { readonly alias: string }, column: string): string {
  return `${place.alias}."${column}"`;
}
