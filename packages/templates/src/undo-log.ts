/**
 * Functions that undo what a template has changed since the beginning of a statement: items of lists, entries of
 * dictionaries, members of namespaces, and the state of cyclers. A statement that needs a load is undone and evaluated
 * again.
 */
export class UndoLog {
  readonly #steps: (() => void)[] = [];

  /** Number of changes. */
  get position(): number {
    return this.#steps.length;
  }

  /** Records a change that has been made. */
  add(undo: () => void): void {
    this.#steps.push(undo);
  }

  /** Undoes the changes after a position, the last one first. */
  rollBack(position: number): void {
    while (this.#steps.length > position) this.#steps.pop()?.();
  }

  /** Makes the changes final. */
  clear(): void {
    this.#steps.length = 0;
  }
}
