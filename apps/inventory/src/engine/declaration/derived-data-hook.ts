import type { Tx } from '@switchboard/database';

/** An object that a write creates, changes or deletes. */
export interface ObjectChangedByWrite {
  /** Model of the object, as `<app>.<model>`. */
  readonly type: string;
  readonly id: number;
}

/**
 * Stored data that is computed from objects of several models, such as cable paths. The functions `before` and `after`
 * run in the transaction that changes the objects.
 */
export interface DerivedDataUpdater {
  /**
   * Finds and locks the derived data that depends on the given objects. Called before the objects are changed or
   * deleted. Also locks the other rows from which the derived data is computed.
   *
   * @param named other objects that the request refers to
   */
  before(tx: Tx, objects: readonly ObjectChangedByWrite[], named: readonly ObjectChangedByWrite[]): Promise<void>;
  /**
   * Recomputes the derived data that `before` found, and derived data that the write made dependent on the changed
   * objects.
   *
   * @param objects new and changed objects, without deleted objects
   */
  after(tx: Tx, objects: readonly ObjectChangedByWrite[]): Promise<void>;
}

/** Derived data that depends on the objects of a model, and the names of the fields on which the data depends. */
export interface DerivedDataHook {
  readonly data: DerivedDataUpdater;
  /**
   * Names of the fields on which the derived data depends. The creation or deletion of an object always affects the
   * derived data.
   */
  readonly fields: readonly string[];
  /**
   * Function that returns the other objects to which the values of a request body refer and whose derived data the
   * write changes.
   */
  readonly named?: (values: Readonly<Record<string, unknown>>) => readonly ObjectChangedByWrite[];
}
