/** A delivery that no further attempt can help. The message is kept on the delivery for whoever set up the webhook. */
export class UndeliverableError extends Error {
  override readonly name = 'UndeliverableError';
}
