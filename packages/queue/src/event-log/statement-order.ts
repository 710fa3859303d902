/** Runs the operations of each realm one after another, in the order of the calls. */
export class StatementOrder {
  /** Newest operation of each realm. Realms without a running operation have none. */
  private readonly newestByRealm = new Map<string, Promise<unknown>>();

  /** Runs an operation after all earlier operations of the realm have ended, even if some of them failed. */
  runInOrder<R>(realm: string, operation: () => Promise<R>): Promise<R> {
    const result = this.newestByRealm.get(realm)?.then(operation, operation) ?? operation();
    this.newestByRealm.set(realm, result);
    const removeIfNewest = (): void => {
      if (this.newestByRealm.get(realm) === result) this.newestByRealm.delete(realm);
    };
    result.then(removeIfNewest, removeIfNewest);
    return result;
  }
}
