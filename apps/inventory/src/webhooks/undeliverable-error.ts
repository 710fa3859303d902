/** A delivery that cannot succeed. The message is stored with the delivery for the owner of the webhook. */
export class UndeliverableError extends Error {
  override readonly name = 'UndeliverableError';
}
