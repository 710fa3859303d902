/**
 * Error for conditions of an event rule that are invalid and cannot be saved. The error message is that of the field
 * `conditions` (docs/contract/inventory.md 5.6).
 */
export class InvalidConditionsError extends Error {
  override readonly name = 'InvalidConditionsError';
}

/**
 * Error for valid event rule conditions that cannot be evaluated for an object: a path does not exist, or two values
 * cannot be compared. The event rule then does not apply to the object, and the request that changed the object
 * succeeds (docs/contract/inventory.md 5.6).
 */
export class UndecidableConditionError extends Error {
  override readonly name = 'UndecidableConditionError';
}
