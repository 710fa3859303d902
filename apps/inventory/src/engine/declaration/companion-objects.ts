import type { Tx } from '@switchboard/database';

/**
 * Name of the temporary table of companions, which are objects created along with new objects, such as the ports of a
 * new device. `owner` is the id of the new object. Companions of an owner are ordered by `step`, then by id. `change`
 * is `created` for a new object, `adopted` for an existing object that now belongs to the owner, and `connected` for a
 * companion that was changed after its creation or adoption. `source` is the id of the template row that a companion
 * was created from.
 */
export const companionsTable = 'pg_temp.companions';

/** Numbers of companions (objects created along with others, such as the ports of a device) that a write creates. */
export interface CompanionCounts {
  /** Models (`<app>.<model>`) of the companions: objects created along with others, such as the ports of a device. */
  readonly types: ReadonlySet<string>;
  /** Total number of companions (objects created along with others, such as ports) of all new objects. */
  readonly total: number;
  /** True if existing objects may be adopted instead of creating companions, such as ports, along with a new object. */
  readonly adopts: boolean;
  /** Largest number of companions (objects created along with others, such as ports) that one new object has. */
  readonly most: number;
  /** Largest number of companions (such as ports) of one new object that {@link CompanionObjects.connect} changes. */
  readonly maxConnected: number;
}

/** A new object, along with which other objects (companions) may be created. */
export interface NewCompanionOwner {
  /** Values of the object's columns, by column name. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Values that the request contains, by field name. */
  readonly sent: Readonly<Record<string, unknown>>;
}

/** A write of new objects along with which companions are created, such as the ports of devices. */
export interface CompanionWrite {
  /** Ids of the new objects along with which companions, such as ports, are created. */
  readonly owners: readonly number[];
  /** The new objects with the ids {@link owners}, in the form that {@link CompanionObjects.count} receives. */
  readonly given: readonly NewCompanionOwner[];
  readonly counts: CompanionCounts;
  /** Returns the custom field values of a new object of a model, as JSON for its column. */
  readonly customFields: (type: string) => string;
}

/** Objects that are created along with new objects of a model, such as the components of a device. */
export interface CompanionObjects {
  /** Counts the companions, such as ports, that will be created along with new objects, in one statement. */
  count(tx: Tx, owners: readonly NewCompanionOwner[]): Promise<CompanionCounts>;
  /**
   * Inserts or adopts the companions and adds each to {@link companionsTable}. The number of statements does not depend on
   * the number of objects.
   *
   * @throws AppError if companions conflict with one another
   */
  insert(tx: Tx, write: CompanionWrite): Promise<void>;
  /**
   * Connects the companions of new objects, such as ports, with one another, and adds each changed one to {@link
   * companionsTable} as `connected`.
   */
  connect(tx: Tx, write: CompanionWrite): Promise<void>;
}
