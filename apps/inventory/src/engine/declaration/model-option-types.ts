import type { Tx } from '@switchboard/database';
import type { SqlText } from '../sql/json-text-sql.js';

/** Error messages of a request by field name. Messages about several fields have the key `__all__`. */
export type ValidationMessages = Readonly<Record<string, readonly string[]>>;

/** A database constraint or unique index of the model's table, with the message for its violation. */
export interface ModelConstraint {
  /** Name of the database constraint. */
  readonly name: string;
  /**
   * For unique constraints: the fields whose combination is unique. After a violation, the values of these fields are
   * compared to report all conflicts.
   */
  readonly fields?: readonly string[];
  /** For partial unique indexes: the field that must be null for the index to apply. */
  readonly whereNull?: string;
  /** Key of the error message in the response. Default: the field of a single-field constraint, else `__all__`. */
  readonly key?: string;
  /**
   * Error message. Unique constraints have a default message; other constraints show the detail of the database error.
   */
  readonly message?: string;
  /** Builds the error message from the detail of the database error. */
  readonly describe?: (detail: string) => string;
}

/** One field or expression of a model's default order. */
export interface DefaultOrderTerm {
  readonly field?: string;
  /** SQL expression to sort by instead of a field. */
  readonly sql?: (alias: string) => SqlText;
  readonly descending?: boolean;
  readonly nullsFirst?: boolean;
}

/** One text, number or condition of a model to which the search parameter `q` is applied. */
export type SearchTerm =
  | {
      /** SQL expression of a text column of the model's table, or of several such columns. */
      readonly sql: (alias: string) => SqlText;
      readonly lookup: 'icontains' | 'istartswith' | 'exact' | 'number' | 'covers';
    }
  | {
      /**
       * Returns the SQL condition that the text of a related object matches an ILIKE pattern. The condition must be
       * able to use an index.
       */
      readonly refersTo: (alias: string, pattern: SqlText) => SqlText;
      readonly lookup: 'related';
    }
  | {
      /** Returns an SQL query for the ids of rows whose related texts match an ILIKE pattern. */
      readonly ids: (pattern: SqlText) => SqlText;
      readonly lookup: 'ids';
    }
  | {
      /**
       * Returns the SQL condition that a row matches an IP address without mask. Used only if the search text is an IP
       * address.
       */
      readonly holds: (alias: string, host: SqlText) => SqlText;
      readonly lookup: 'host';
    };

/** Object of a write before its rules are checked. */
export interface ObjectToFill {
  /** Values in the body, by field name. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Values to store, by field name. */
  readonly row: Readonly<Record<string, unknown>>;
  /** Stored values; null for a new object. */
  readonly previous: Readonly<Record<string, unknown>> | null;
}

/** Values that replace the values a client sent for an object, or the errors that prevent the replacement. */
export interface ModelFillResult {
  readonly values?: Readonly<Record<string, unknown>>;
  readonly problems?: ValidationMessages;
}

/**
 * Function that computes values from other rows, for all valid objects of a write. The computed values replace the sent
 * values before rules are checked.
 */
export type ModelFillHook = (tx: Tx, objects: readonly ObjectToFill[]) => Promise<readonly ModelFillResult[]>;

/** Result of a model's hook `prepare`, which runs before an object is written. */
export interface ModelPrepareResult {
  /** Column values to store instead of the sent values, including values of hidden columns. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Field values that only this response contains, such as a secret that is shown once. */
  readonly reveal?: Readonly<Record<string, unknown>>;
}

/** Column values of a row before and after a write. `before` is null for a new row. */
export interface ChangedColumns {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Ids of objects of one model. */
export interface ModelWithIds {
  /** Model of the objects, as `<app>.<model>`. */
  readonly type: string;
  readonly ids: readonly number[];
}

/** Declaration of objects that prevent the deletion of others without referring to them. */
export interface ExtraDeleteBlockers {
  /** Model of the blocking objects, as `<app>.<model>`. */
  readonly type: string;
  /**
   * Returns the SQL condition that an object blocks the deletion, given its alias and an array expression of the ids to
   * delete.
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
