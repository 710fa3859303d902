/** A command that cannot be executed; the message tells the operator the reason. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
