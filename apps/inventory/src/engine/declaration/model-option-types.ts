import type { Tx } from '@switchboard/database';
import type { SqlText } from '../sql/json-text-sql.js';

/** Error messages of a request by field name. Messages about several fields have the key `__all__`. */
export type ValidationMessagesByField = Readonly<Record<string, readonly string[]>>;

/**
 * A database constraint or unique index of the model's table, with the error message for a violation of the constraint.
 */
export interface ModelConstraint {
  /** Name of the constraint or unique index in the database. */
  readonly name: string;
  /**
   * Names of the fields whose combination a unique constraint makes unique. After a violation, the values of these
   * fields are compared to report all conflicts.
   */
  readonly fields?: readonly string[];
  /** Name of the field that must be null for a partial unique index to apply. */
  readonly whereNull?: string;
  /**
   * Key of the error message in the response. By default, the field of a single-field constraint, otherwise `__all__`.
   */
  readonly key?: string;
  /**
   * Error message for a violation of the constraint. By default, unique constraints use a general message, and other
   * constraints show the detail of the database error.
   */
  readonly message?: string;
  /** Function that builds the error message from the detail text of the database error. */
  readonly describe?: (detail: string) => string;
}

/** One field or expression of a model's default order. */
export interface DefaultOrderTerm {
  readonly field?: string;
  /** Function that returns an SQL expression to sort by instead of a field. */
  readonly sql?: (alias: string) => SqlText;
  readonly descending?: boolean;
  readonly nullsFirst?: boolean;
}

/** One text, number or condition of a model that a search with the parameter `q` examines. */
export type ModelSearchTerm =
  | {
      /** Function that returns the SQL expression for one or several text columns of the model's table. */
      readonly sql: (alias: string) => SqlText;
      readonly lookup: 'icontains' | 'istartswith' | 'exact' | 'number' | 'covers';
    }
  | {
      /**
       * Function that returns the SQL condition that the text of a related object matches an ILIKE pattern. The
       * condition must be able to use an index.
       */
      readonly refersTo: (alias: string, pattern: SqlText) => SqlText;
      readonly lookup: 'related';
    }
  | {
      /**
       * Function that returns an SQL query for the ids of rows whose related objects have texts that match an ILIKE
       * pattern.
       */
      readonly ids: (pattern: SqlText) => SqlText;
      readonly lookup: 'ids';
    }
  | {
      /**
       * Function that returns the SQL condition that a row matches an IP address without a mask. The function is used
       * only if the search text is an IP address.
       */
      readonly holds: (alias: string, host: SqlText) => SqlText;
      readonly lookup: 'host';
    };

/** Object to be written, before the model's validation rules are checked. */
export interface ObjectToCompleteBeforeValidation {
  /** Values of the object in the request body, by field name. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Values to store for the object, by field name. */
  readonly row: Readonly<Record<string, unknown>>;
  /** Stored values of the object before the write; null for a new object. */
  readonly previous: Readonly<Record<string, unknown>> | null;
}

/**
 * Computed values that replace the values that a client sent for an object, or the error messages that prevent the
 * replacement.
 */
export interface ComputedValuesOrErrors {
  readonly values?: Readonly<Record<string, unknown>>;
  readonly problems?: ValidationMessagesByField;
}

/**
 * Function that computes values from other rows, for all valid objects of a write. The computed values replace the sent
 * values before validation rules are checked.
 */
export type ModelValueComputingHook = (
  tx: Tx,
  objects: readonly ObjectToCompleteBeforeValidation[],
) => Promise<readonly ComputedValuesOrErrors[]>;

/** Result of a model's hook `prepare`, which runs before an object is written. */
export interface ModelPrepareResult {
  /** Column values that are stored instead of the sent values, including values of columns that belong to no field. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Field values that only the response to the write contains, such as a secret that is shown once. */
  readonly reveal?: Readonly<Record<string, unknown>>;
}

/** Column values of a row before and after a write. The values before the write are null for a new row. */
export interface ColumnValuesBeforeAndAfter {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Ids of objects of one model. */
export interface ModelWithIds {
  /** Model of the objects, in the form `<app>.<model>`. */
  readonly type: string;
  readonly ids: readonly number[];
}

/** Declaration of objects that prevent the deletion of other objects without a reference to these objects. */
export interface UnreferencedDeletionBlockers {
  /** Model of the blocking objects, in the form `<app>.<model>`. */
  readonly type: string;
  /**
   * Function that returns the SQL condition that an object blocks a deletion. Arguments are the table alias of the
   * blocking object, and an SQL array expression of the ids to delete.
   */
  readonly where: (alias: string, ids: SqlText) => SqlText;
}

/** Part of a model's declaration for the audit trail (docs/operate/audit.md). */
export interface AuditedFields {
  /** First part of the names of the model's audit actions, such as `user` of `user_created`. */
  readonly noun: 'user' | 'token' | 'group' | 'permission' | 'webhook';
  /** Fields whose values audit lines contain. The values of other fields may be secrets or personal data. */
  readonly shownFields: readonly string[];
  /** Secret field that change records do not contain. Audit lines name the field when it was changed. */
  readonly hiddenField?: string;
}
