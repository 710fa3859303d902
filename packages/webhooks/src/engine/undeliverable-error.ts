/**
 * Error for a webhook delivery that cannot succeed. The error message is stored with the delivery, for the owner of the
 * webhook.
 */
export class UndeliverableError extends Error {
  override readonly name = 'UndeliverableError';
}
