/** A change that has been made, and the function that undoes it. */
interface UndoableChange {
  readonly undo: () => void;
  /** Steps of work that undoing takes; see `Budget.countSteps`. */
  readonly steps: number;
}

/**
 * Changes that a template has made since the beginning of a statement: items of lists, entries of dictionaries, members
 * of namespaces, and the state of cyclers. A statement that needs a load is undone and evaluated again.
 */
export class UndoLog {
  readonly #changes: UndoableChange[] = [];

  /** @param tick counts the steps of undoing before they run */
  constructor(private readonly tick: (steps: number) => void) {}

  /** Number of changes. */
  get position(): number {
    return this.#changes.length;
  }

  /** Records a change that has been made. Undoing it must not take longer than making it. */
  recordChange(undo: () => void, steps = 1): void {
    this.#changes.push({ undo, steps });
  }

  /** Undoes the changes after a position, the last one first. */
  rollBack(position: number): void {
    while (this.#changes.length > position) {
      const change = this.#changes.pop();
      if (change === undefined) return;
      this.tick(change.steps);
      change.undo();
    }
  }

  /** Makes the changes final. */
  makeFinal(): void {
    this.#changes.length = 0;
  }
}
