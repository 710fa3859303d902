import type { Tx } from '@switchboard/database';

/**
 * Temporary table of the companions of a write. `owner` is the id of the object that a companion is created with.
 * Companions of an owner are ordered by `step`, then by id. Rows with `is_update` name companions that were changed
 * after their creation.
 */
export const companionsTable = 'pg_temp.companions';

/** Numbers of companions that a write creates. */
export interface CompanionCounts {
  /** `<app>.<model>` of all companions. */
  readonly types: ReadonlySet<string>;
  /** Number of all companions. */
  readonly total: number;
  /** Largest number of companions of one owner. */
  readonly most: number;
  /** Largest number of companions of one owner that {@link Companions.connect} changes. */
  readonly mostConnected: number;
}

/** A write that creates companions. */
export interface CompanionWrite {
  /** Ids of the new objects that the companions belong to. */
  readonly owners: readonly number[];
  readonly counts: CompanionCounts;
  /** Returns the custom field values of a new object of a type, as JSON for its column. */
  readonly customFields: (type: string) => string;
}

/** Objects that are created along with new objects of a model, such as the components of a device. */
export interface Companions {
  /** Counts the companions of rows that are about to be inserted, in one statement. */
  count(tx: Tx, rows: readonly Readonly<Record<string, unknown>>[]): Promise<CompanionCounts>;
  /**
   * Inserts the companions and adds each to {@link companionsTable}. The number of statements does not depend on the
   * number of objects.
   *
   * @throws AppError if companions conflict with one another
   */
  insert(tx: Tx, write: CompanionWrite): Promise<void>;
  /** Changes companions that refer to one another and adds each to {@link companionsTable} with `is_update`. */
  connect(tx: Tx, write: CompanionWrite): Promise<void>;
}
