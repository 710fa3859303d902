import type { Tx } from '@switchboard/database';

/** An object that a write changes or deletes. */
export interface ChangedObject {
  /** `<app>.<model>`. */
  readonly type: string;
  readonly id: number;
}

/**
 * Stored data that follows from objects of several models, such as cable paths. Both functions run in the transaction
 * that changes the objects.
 */
export interface DerivedData {
  /** Finds the data that depends on stored objects before they are changed or deleted. */
  before(tx: Tx, objects: readonly ChangedObject[]): Promise<void>;
  /**
   * Updates the data found before, and the data that depends on the objects now.
   *
   * @param objects new and changed objects; deleted ones are left out
   */
  after(tx: Tx, objects: readonly ChangedObject[]): Promise<void>;
}

/** Derived data of a model. */
export interface DerivedHook {
  readonly data: DerivedData;
  /** Fields whose values the data depends on. It also depends on the existence of each object. */
  readonly fields: readonly string[];
}
