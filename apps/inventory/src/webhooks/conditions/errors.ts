/**
 * Conditions that cannot be saved. The message is the text of the `conditions` field error
 * (docs/contract/inventory.md 5.6).
 */
export class InvalidConditionsError extends Error {
  override readonly name = 'InvalidConditionsError';
}

/**
 * Valid conditions that cannot be decided for this object: a path leads nowhere, or two values do not compare.
 * The rule then does not fire; the request that changed the object never learns of it (docs/contract/inventory.md 5.6).
 */
export class UndecidableConditionError extends Error {
  override readonly name = 'UndecidableConditionError';
}
