/** A change of a template value, with the function that undoes the change. */
interface UndoableTemplateValueChange {
  readonly undo: () => void;
  /** Number of steps of work that undoing the change takes; see `TemplateResourceCounter.countSteps`. */
  readonly steps: number;
}

/**
 * Changes that a template has made since the beginning of a statement: to lists, dictionaries, namespaces, and the
 * state of cyclers. If a statement needs a load, its changes are undone and the statement is evaluated again.
 */
export class TemplateValueUndoLog {
  readonly #changes: UndoableTemplateValueChange[] = [];

  /** @param tick counts the steps of undoing before they run */
  constructor(private readonly tick: (steps: number) => void) {}

  /** Number of recorded changes in the undo log. */
  get recordedChangeCount(): number {
    return this.#changes.length;
  }

  /**
   * Records a change that a template has made, with the function that undoes the change. Undoing the change must not
   * take longer than the change itself.
   */
  recordChange(undo: () => void, steps = 1): void {
    this.#changes.push({ undo, steps });
  }

  /** Undoes the changes after a position of the log. The last change is undone first. */
  undoChangesAfterPosition(position: number): void {
    while (this.#changes.length > position) {
      const change = this.#changes.pop();
      if (change === undefined) return;
      this.tick(change.steps);
      change.undo();
    }
  }

  /** Makes the recorded changes final, so that they are never undone. */
  makeChangesFinal(): void {
    this.#changes.length = 0;
  }
}
