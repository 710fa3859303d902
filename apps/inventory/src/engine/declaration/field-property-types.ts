import type { SqlText } from '../sql/json-text-sql.js';

/** Database column that stores a field. */
export interface FieldColumn {
  readonly name: string;
  /** SQL type of the column, used to read its value from a JSON record. */
  readonly type: string;
}

/** Adds to an SQL statement one query that loads the objects to which all rows of a page refer. */
export interface BatchLookup {
  /**
   * Returns the SQL expression of the value loaded for a row, which is null if no object was found. Returns null
   * instead of an expression if `alias` is not the table alias of the page's rows.
   *
   * @param alias table alias of the rows that refer to the objects
   * @param key SQL expression of the lookup key in such a row
   * @param query builds a query with the columns `id` (unique) and `value` (text) from an array expression of all keys
   */
  load(alias: string, key: SqlText, query: (keys: SqlText) => SqlText): SqlText | null;
  /**
   * Returns an SQL array expression of the lookup keys of all rows of the page. Returns null if `alias` is not the
   * table alias of the page's rows.
   */
  keys(alias: string, key: SqlText): SqlText | null;
  /**
   * Registers further rows, given by the FROM clause `from` with its conditions, so that the objects that these rows
   * refer to are also loaded by one query.
   */
  nest(alias: string, from: SqlText): void;
}

/** Declaration of a field that shows texts stored with other objects, such as the data of config contexts. */
export interface ReferencedTextSource {
  /** SQL condition that there are any such texts, checked once per statement. */
  readonly exist: SqlText;
  /**
   * Returns the SQL expression of the total length in bytes of the texts shown by a row of the model `type`. The length
   * may be an estimate.
   */
  readonly bytes: (alias: string, type: string) => SqlText;
  /** Number of rows whose texts one statement measures. It is small if measuring requires building the texts. */
  readonly rowsTogether: number;
  /** True if a newly created object can already show texts of other objects. */
  readonly isShownByNew: boolean;
}

/** Properties that all types of fields have, such as `required`. */
export interface FieldProperties {
  /** True if POST and PUT must contain the field. */
  readonly required: boolean;
  readonly nullable: boolean;
  /** True if clients cannot write the field. */
  readonly readOnly: boolean;
  /** True if responses never contain the field. */
  readonly writeOnly: boolean;
  /** True if the field cannot change after the object's creation. */
  readonly immutable: boolean;
  /** Value that a new object gets if the request does not contain the field. */
  readonly default: unknown;
  /**
   * Name of the field in messages and OPTIONS, for example `route distinguisher`. Default: the field's name in words.
   */
  readonly label?: string;
  readonly help?: string;
  /**
   * True if the query parameter `exclude` can omit the field and the work to compute it (docs/contract/inventory.md
   * 1.7).
   */
  readonly excludable: boolean;
  /** True if lists can be filtered by the field, provided that the field's type supports filters. */
  readonly filterable: boolean;
}

/** A value of a choice field with its label. */
export interface ListedChoice {
  readonly value: string | number;
  readonly display_name: string;
}

/** SQL table expression with a column `id`, and the name of the column to sort objects by. */
export interface SortValueTable {
  readonly source: SqlText;
  readonly column: string;
}

/** Storage of a field as objects of another model (its parts), such as the terminations of a cable. */
export interface FieldStoringFunction {
  /** Name of the database function that stores the parts. */
  readonly function: string;
  /** Model whose objects store the field, as `<app>.<model>`. */
  readonly parts: string;
  /** Name of the field in the storing objects (parts) that refers to the object whose field they store. */
  readonly via: string;
  /** Columns of a part that name the object at its end. The database function changes these objects as well. */
  readonly ends: { readonly type: string; readonly id: string };
}

/** Database table that relates objects to one another in pairs. */
export interface JoinTable {
  readonly table: string;
  /** Column that contains the id of the object that has the field. */
  readonly own: string;
  /** Column that contains the id of the related object. */
  readonly other: string;
  /** True if the table's rows are the related objects themselves, so that each belongs to one object. */
  readonly moves?: boolean;
}

/** Database table whose rows each belong to one object. A field of the object shows its rows as a list. */
export interface OwnedRowsTable {
  readonly table: string;
  /** Column that contains the id of the object to which the row belongs. */
  readonly own: string;
  /**
   * Columns of numbers: the column's name, the name in the API (`part`), and the model (`to`) if the number is an id of
   * that model.
   */
  readonly columns: readonly { readonly name: string; readonly part: string; readonly to?: string }[];
}

/** Types of the objects that the rows of a page refer to by generic references. */
export interface GenericTargetTypes {
  /** Table alias of the rows. */
  readonly alias: string;
  readonly types: ReadonlySet<string>;
}
