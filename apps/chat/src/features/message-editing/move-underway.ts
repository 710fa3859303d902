/** Signals that another move from or to the same topic has to end before a move can be planned. */
export class MoveUnderway extends Error {
  /** @param moveId id of the stored move */
  constructor(readonly moveId: number) {
    super('Another move of the topic is under way');
  }
}
