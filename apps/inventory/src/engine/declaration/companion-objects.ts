import type { Tx } from '@switchboard/database';

/**
 * Name of the temporary table of companions, which are objects created along with new objects, such as the ports of a
 * new device. `owner` is the id of the new object. Companions of one owner are ordered by `step`, then by id. The
 * column `change` is `created` for a new object, and `adopted` for an existing object that now belongs to the owner.
 * The column is `connected` for a companion that was changed after the creation or adoption. The column `source` is the
 * id of the template row from which the companion was created.
 */
export const temporaryCompanionObjectsTableName = 'pg_temp.companions';

/**
 * Numbers of companions that a write creates. Companions are objects created along with other objects, such as the
 * ports of a device.
 */
export interface CreatedCompanionObjectCounts {
  /**
   * Models (`<app>.<model>`) of the companions: objects created along with other objects, such as the ports of a
   * device.
   */
  readonly types: ReadonlySet<string>;
  /**
   * Total number of companions of all new objects. Companions are objects created along with other objects, such as
   * ports of a device.
   */
  readonly total: number;
  /** True if the write may assign existing objects, such as ports, to a new object instead of creating companions. */
  readonly adopts: boolean;
  /**
   * Largest number of companions of a single new object. Companions are objects created along with other objects, such
   * as ports of a device.
   */
  readonly most: number;
  /** Largest number of companions (such as ports) of one new object that {@link CompanionObjectsDeclaration.connect} changes. */
  readonly maxConnected: number;
}

/** A new object, along with which other objects (companions) may be created. */
export interface NewObjectWithCompanions {
  /** Column values of the new object, by column name. */
  readonly columns: Readonly<Record<string, unknown>>;
  /** Values that the request contains for the new object, by field name. */
  readonly sent: Readonly<Record<string, unknown>>;
}

/** A write of new objects along with which companions are created, such as the ports of devices. */
export interface CompanionObjectsWrite {
  /** Ids of the new objects along with which companions, such as ports, are created. */
  readonly owners: readonly number[];
  /**
   * The new objects whose ids are in {@link owners}, in the format of the arguments of {@link CompanionObjectsDeclaration.count}.
   */
  readonly given: readonly NewObjectWithCompanions[];
  readonly counts: CreatedCompanionObjectCounts;
  /**
   * Function that returns the custom field values of a new companion of the given model, as JSON text for the database
   * column.
   */
  readonly customFields: (type: string) => string;
}

/**
 * Declaration of objects (companions) that are created along with new objects of a model, such as the components of a
 * device.
 */
export interface CompanionObjectsDeclaration {
  /** Counts the companions, such as ports, that will be created along with new objects, in one statement. */
  count(tx: Tx, owners: readonly NewObjectWithCompanions[]): Promise<CreatedCompanionObjectCounts>;
  /**
   * Inserts the companions, such as ports, or assigns existing objects to the new objects. Adds each companion to
   * {@link temporaryCompanionObjectsTableName}. The number of statements does not depend on the number of objects.
   *
   * @throws ApplicationError if companions conflict with one another
   */
  insert(tx: Tx, write: CompanionObjectsWrite): Promise<void>;
  /**
   * Connects the companions of new objects, such as ports, with one another, and adds each changed companion to
   * {@link temporaryCompanionObjectsTableName} as `connected`.
   */
  connect(tx: Tx, write: CompanionObjectsWrite): Promise<void>;
}
