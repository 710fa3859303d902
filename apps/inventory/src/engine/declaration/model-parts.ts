import type { Sql } from '../sql/pieces.js';

/** Error messages by field name. The key `__all__` is used for rules on several fields. */
export type Problems = Readonly<Record<string, readonly string[]>>;

/** A database constraint or unique index of the model's table, with the message for its violation. */
export interface Constraint {
  /** Name of the constraint in the database. */
  readonly name: string;
  /**
   * For unique constraints: the fields whose combination is unique. After a violation they are compared to report all
   * conflicts.
   */
  readonly fields?: readonly string[];
  /** For partial unique indexes: the field that must be null for the index to apply. */
  readonly whereNull?: string;
  /** Key of the message in the response. Default: the field of a single-field constraint, else `__all__`. */
  readonly key?: string;
  /** The message. Unique constraints have a default; other constraints show the database's detail. */
  readonly message?: string;
  /** Builds the message from the detail of the database error. */
  readonly describe?: (detail: string) => string;
}

/** One term of the default order. */
export interface OrderTerm {
  readonly field?: string;
  /** Expression to sort by instead of a field. */
  readonly sql?: (alias: string) => Sql;
  readonly descending?: boolean;
  readonly nullsFirst?: boolean;
}

/** One text, number or condition that the filter `q` searches. */
export type SearchTerm =
  | {
      /** A text column of the model's table, or an expression of such columns. */
      readonly sql: (alias: string) => Sql;
      readonly lookup: 'icontains' | 'istartswith' | 'exact' | 'number' | 'covers';
    }
  | {
      /**
       * Returns the condition that a related object's text matches an ILIKE pattern. It must be able to use an index.
       */
      readonly refersTo: (alias: string, pattern: Sql) => Sql;
      readonly lookup: 'related';
    }
  | {
      /** Returns a query for the ids of rows whose related texts match an ILIKE pattern. */
      readonly ids: (pattern: Sql) => Sql;
      readonly lookup: 'ids';
    }
  | {
      /** Returns the condition on a row for an address without mask. Used only if the search text is an address. */
      readonly holds: (alias: string, host: Sql) => Sql;
      readonly lookup: 'host';
    };

/** Result of the hook `prepare`. */
export interface Prepared {
  /** Columns to store instead of the sent values, hidden columns included. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Field values of this response alone, such as a secret that is shown only once. */
  readonly reveal?: Readonly<Record<string, unknown>>;
}

/** The columns of a row before and after a write; before is null for a new one. */
export interface WrittenColumns {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Ids of objects of one model. */
export interface NamedObjects {
  /** Model of the objects, as `<app>.<model>`. */
  readonly type: string;
  readonly ids: readonly number[];
}

/** Objects that prevent a deletion without a reference to a deleted object. */
export interface ExtraDeleteBlockers {
  /** Model of the blocking objects, as `<app>.<model>`. */
  readonly type: string;
  /** Returns the condition on a blocking object, given its alias and an array expression of the ids to delete. */
  readonly where: (alias: string, ids: Sql) => Sql;
}
