import type { Sql } from '../sql/pieces.js';

/** Column that stores a field. */
export interface Column {
  readonly name: string;
  /** SQL type used to read the value from a JSON record. */
  readonly type: string;
}

/** Loads related objects of a page with one query for all rows. */
export interface BatchLookup {
  /**
   * Returns the expression of a row's loaded value, which is null if nothing was found. Returns null if `alias` is not
   * the page.
   *
   * @param alias table alias of the rows to look up
   * @param key expression of the lookup key
   * @param query builds a query with the columns `id` (unique) and `value` (text) from an array expression of the keys
   */
  load(alias: string, key: Sql, query: (keys: Sql) => Sql): Sql | null;
  /**
   * Makes the rows of `from`, a FROM clause with its conditions, a page whose own related objects are loaded in
   * batches.
   */
  nest(alias: string, from: Sql): void;
}

/** Properties that fields of any kind have. */
export interface Traits {
  /** True if POST and PUT must contain the field. */
  readonly required: boolean;
  readonly nullable: boolean;
  /** True if clients cannot write the field. */
  readonly readOnly: boolean;
  /** True if the field is never shown. */
  readonly writeOnly: boolean;
  /** True if the field cannot change after creation. */
  readonly immutable: boolean;
  /** Value of a new object whose body does not name the field. */
  readonly default: unknown;
  /** Name used in messages and OPTIONS, for example `route distinguisher`; the field's name in words when absent. */
  readonly label?: string;
  readonly help?: string;
  /** True if `exclude` can omit the field and the work to compute it (docs/contract/inventory.md 1.7). */
  readonly excludable: boolean;
  /** True if lists can be filtered by the field, provided that its type supports filters. */
  readonly filterable: boolean;
}

/** A value of a choice field with its label. */
export interface ListedChoice {
  readonly value: string | number;
  readonly display_name: string;
}

/** A table expression with a column `id`, and the name of its sort column. */
export interface OrderSource {
  readonly source: Sql;
  readonly column: string;
}

/** Storage of a field as objects of another model, called parts. */
export interface StoredBy {
  /** Name of the database function that stores the parts. */
  readonly function: string;
  /** Model whose objects store the field, as `<app>.<model>`. */
  readonly parts: string;
  /** Field of a part that refers to the object with this field. */
  readonly via: string;
  /** Columns of a part that name the object at its end. The database function changes these objects as well. */
  readonly ends: { readonly type: string; readonly id: string };
}

/** Table of pairs of related objects. */
export interface Join {
  readonly table: string;
  /** Column with the id of the object that has the field. */
  readonly own: string;
  /** Column with the id of the related object. */
  readonly other: string;
  /** True if the rows are the related objects themselves, each of which belongs to one object. */
  readonly moves?: boolean;
}

/** Table of rows that each belong to one object. */
export interface OwnedRows {
  readonly table: string;
  /** Column of the object that the row belongs to. */
  readonly own: string;
  /** Numbers of a row: column, wire name, and `<app>.<model>` if the number is an id. */
  readonly columns: readonly { readonly name: string; readonly part: string; readonly to?: string }[];
}
