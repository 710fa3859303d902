import type { Tx } from '@switchboard/database';

/** An object that a write creates, changes or deletes. */
export interface ChangedObject {
  /** Model of the object, as `<app>.<model>`. */
  readonly type: string;
  readonly id: number;
}

/**
 * Stored data that is computed from objects of several models, such as cable paths. Both functions run in the
 * transaction that changes the objects.
 */
export interface DerivedDataUpdater {
  /**
   * Finds and locks the derived data that depends on some objects, before these objects are changed or deleted. Also
   * locks everything else from which this derived data is computed.
   *
   * @param named other objects that the request refers to
   */
  before(tx: Tx, objects: readonly ChangedObject[], named: readonly ChangedObject[]): Promise<void>;
  /**
   * Recomputes the derived data that `before` found, and derived data that depend on the changed objects only since the
   * write.
   *
   * @param objects new and changed objects, without deleted objects
   */
  after(tx: Tx, objects: readonly ChangedObject[]): Promise<void>;
}

/** Derived data that depends on the objects of a model, and the fields that it depends on. */
export interface DerivedDataHook {
  readonly data: DerivedDataUpdater;
  /**
   * Names of the fields that the derived data depends on. Creating or deleting an object always affects the derived
   * data.
   */
  readonly fields: readonly string[];
  /** Returns the other objects that the values of a request body refer to, if the write changes their derived data. */
  readonly named?: (values: Readonly<Record<string, unknown>>) => readonly ChangedObject[];
}
