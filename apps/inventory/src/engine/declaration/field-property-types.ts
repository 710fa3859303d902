import type { FilteredListStatement } from '../filter/filter-statement.js';
import type { SqlText } from '../sql/json-text-sql.js';

/** Database column that stores the value of a field. */
export interface FieldDatabaseColumn {
  readonly name: string;
  /** SQL type of the column. The type is used to read the column's value from a JSON record. */
  readonly type: string;
}

/**
 * Part of an SQL statement that loads related objects. One query loads the objects to which all rows of a page refer.
 */
export interface RelatedObjectsBatchLookup {
  /**
   * Returns the SQL expression for the value loaded for a row. The value is null if no object was found. Returns null
   * instead of an expression if `alias` is not the table alias of the page's rows.
   *
   * @param alias table alias of the rows that refer to the objects
   * @param key SQL expression of the lookup key in such a row
   * @param query builds a query with the columns `id` (unique) and `value` (text) from an array expression of all keys
   */
  load(alias: string, key: SqlText, query: (keys: SqlText) => SqlText): SqlText | null;
  /**
   * Returns an SQL array expression with the lookup keys of all rows of the page. Returns null if `alias` is not the
   * table alias of the page's rows.
   */
  keys(alias: string, key: SqlText): SqlText | null;
  /**
   * Registers further rows, given by the FROM clause `from` with its conditions. One query then also loads the objects
   * to which the further rows refer.
   */
  nest(alias: string, from: SqlText): void;
}

/** Declaration of a field that shows texts stored with other objects, such as the data of config contexts. */
export interface ReferencedTextSource {
  /**
   * SQL condition that at least one text that the field can show exists. The condition is evaluated once per statement.
   */
  readonly exist: SqlText;
  /**
   * Function that returns the SQL expression for the total length in bytes of the texts that a row of the model `type`
   * shows. The length may be an estimate.
   */
  readonly bytes: (alias: string, type: string) => SqlText;
  /**
   * Number of rows for which one statement computes the length of the texts. The number is small if the texts must be
   * built to compute the length.
   */
  readonly rowsTogether: number;
  /** True if the field of a newly created object can already show texts of other objects. */
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
  /** Default value that a new object gets for the field if the request does not contain the field. */
  readonly default: unknown;
  /**
   * Name of the field in messages and OPTIONS, for example `route distinguisher`. By default, the words of the field's
   * name.
   */
  readonly label?: string;
  readonly help?: string;
  /**
   * True if the query parameter `exclude` can omit the field, which also avoids the computation of the field
   * (docs/contract/inventory.md 1.7).
   */
  readonly excludable: boolean;
  /** True if lists can be filtered by the field, provided that the field's type supports filters. */
  readonly filterable: boolean;
}

/** A value of a choice field and the label of the value. */
export interface ChoiceValueAndLabel {
  readonly value: string | number;
  readonly display_name: string;
}

/** SQL table expression with a column `id`, and the name of the column by which objects are sorted. */
export interface SortValueTableSql {
  /** Returns the table expression, which may omit objects that the filters of the list exclude. */
  source(list: FilteredListStatement): SqlText;
  readonly column: string;
}

/** Storage of a field as objects of another model (its parts), such as the terminations of a cable. */
export interface FieldPartsStorage {
  /** Name of the database function that stores the parts, which are the objects that contain the field's values. */
  readonly function: string;
  /** Model (`<app>.<model>`) of the parts, which are the objects that contain the field's values. */
  readonly parts: string;
  /** Name of the reference from a part (an object that contains field values) to the object that has the field. */
  readonly via: string;
  /**
   * Columns of a part (such as a cable termination) that identify the connected object by type and id. The database
   * function also changes the connected objects.
   */
  readonly ends: { readonly type: string; readonly id: string };
  /** Names of other fields on which the parts depend, such as the profile of a cable. */
  readonly dependsOn: readonly string[];
  /** Returns the SQL condition for the parts that belong to the field, given a table alias. Default: all parts. */
  readonly where?: (alias: string) => SqlText;
}

/** Database table that relates objects to one another in pairs. */
export interface JoinTable {
  readonly table: string;
  /** Column of the join table that contains the id of the object that has the field. */
  readonly own: string;
  /** Column of the join table that contains the id of the related object. */
  readonly other: string;
  /**
   * True if the rows of the table are the related objects themselves. Each related object then belongs to only one
   * object.
   */
  readonly moves?: boolean;
}

/** Database table in which each row belongs to one object. A field of the object shows the object's rows as a list. */
export interface OwnedRowsTable {
  readonly table: string;
  /** Column of the table that contains the id of the object to which the row belongs. */
  readonly own: string;
  /**
   * Numeric columns of the table: name, name in the API (`part`), and the model (`to`) if the number is an object's id.
   */
  readonly columns: readonly { readonly name: string; readonly part: string; readonly to?: string }[];
}

/** Models of the objects to which the rows of a page refer by generic references. */
export interface GenericReferenceTargetModels {
  /** SQL alias of the table whose rows contain the generic references. */
  readonly alias: string;
  readonly types: ReadonlySet<string>;
}
