/** Thrown if another move of messages from or to the same topic must be completed first. */
export class MoveInProgressError extends Error {
  /** @param moveId id of the stored move */
  constructor(readonly moveId: number) {
    super('Another move of the topic is under way');
  }
}
