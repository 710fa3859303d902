import type { Tx } from '@switchboard/database';

/**
 * Temporary table of the companions of a write: `owner` is the id of the object that brings one, `step` orders the
 * companions of an owner before their ids do. Rows with `is_update` name companions that were changed after they had been
 * created.
 */
export const companionsTable = 'pg_temp.companions';

/** Companions that come with the objects of a write. */
export interface CompanionCounts {
  /** `<app>.<model>` of all companions. */
  readonly types: ReadonlySet<string>;
  /** Number of all companions. */
  readonly total: number;
  /** Number of companions of the object that brings most of them. */
  readonly most: number;
  /** Number of the companions that {@link Companions.connect} changes, of the object that brings most of them. */
  readonly mostConnected: number;
}

/** A write that brings companions. */
export interface CompanionWrite {
  /** Ids of the new objects that bring them. */
  readonly owners: readonly number[];
  readonly counts: CompanionCounts;
  /** Returns the values of the custom fields of a new object of a type, as JSON for its column. */
  readonly customFields: (type: string) => string;
}

/** Objects that are created along with new objects of a model, such as the components of a device. */
export interface Companions {
  /** Counts the companions of rows that are about to be inserted, with one statement. */
  count(tx: Tx, rows: readonly Readonly<Record<string, unknown>>[]): Promise<CompanionCounts>;
  /**
   * Inserts the companions and names each in {@link companionsTable}, with a number of statements that does not depend on
   * the number of objects.
   *
   * @throws AppError when companions are in conflict with one another
   */
  insert(tx: Tx, write: CompanionWrite): Promise<void>;
  /** Changes companions that refer to one another, and names each in {@link companionsTable} with `is_update`. */
  connect(tx: Tx, write: CompanionWrite): Promise<void>;
}
