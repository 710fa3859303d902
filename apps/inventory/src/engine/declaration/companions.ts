import type { Tx } from '@switchboard/database';

/**
 * Temporary table of the companions of a write. `owner` is the id of the object that a companion is created with.
 * Companions of an owner are ordered by `step`, then by id. `change` is `created`; `adopted` for an existing object that
 * now belongs to the owner; or `connected` for a companion that was changed after its creation or adoption. `source` is the
 * id of the row that a companion was created from, for statements that refer to companions.
 */
export const companionsTable = 'pg_temp.companions';

/** Numbers of companions that a write creates. */
export interface CompanionCounts {
  /** `<app>.<model>` of all companions. */
  readonly types: ReadonlySet<string>;
  /** Number of all companions. */
  readonly total: number;
  /** True if existing objects may become companions. */
  readonly adopts: boolean;
  /** Largest number of companions of one owner. */
  readonly most: number;
  /** Largest number of companions of one owner that {@link Companions.connect} changes. */
  readonly maxConnected: number;
}

/** New object, with which other objects (companions) may be created. */
export interface NewOwner {
  /** Columns of the object, by name. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Values in the request, by field name. */
  readonly sent: Readonly<Record<string, unknown>>;
}

/** A write that creates companions. */
export interface CompanionWrite {
  /** Ids of the new objects that the companions belong to. */
  readonly owners: readonly number[];
  /** The objects of {@link owners}, as passed to {@link Companions.count}. */
  readonly given: readonly NewOwner[];
  readonly counts: CompanionCounts;
  /** Returns the custom field values of a new object of a type, as JSON for its column. */
  readonly customFields: (type: string) => string;
}

/** Objects that are created along with new objects of a model, such as the components of a device. */
export interface Companions {
  /** Counts the companions of objects that are about to be inserted, in one statement. */
  count(tx: Tx, owners: readonly NewOwner[]): Promise<CompanionCounts>;
  /**
   * Inserts or adopts the companions and adds each to {@link companionsTable}. The number of statements does not depend on
   * the number of objects.
   *
   * @throws AppError if companions conflict with one another
   */
  insert(tx: Tx, write: CompanionWrite): Promise<void>;
  /** Changes companions that refer to one another and adds each to {@link companionsTable} as `connected`. */
  connect(tx: Tx, write: CompanionWrite): Promise<void>;
}
