/**
 * Error for event rule conditions that cannot be saved. Its message is the error of the field `conditions`
 * (docs/contract/inventory.md 5.6).
 */
export class InvalidConditionsError extends Error {
  override readonly name = 'InvalidConditionsError';
}

/**
 * Error for valid event rule conditions that cannot be evaluated for an object: a path does not exist, or two values
 * cannot be compared. The rule then does not apply, and the request that changed the object succeeds
 * (docs/contract/inventory.md 5.6).
 */
export class UndecidableConditionError extends Error {
  override readonly name = 'UndecidableConditionError';
}
