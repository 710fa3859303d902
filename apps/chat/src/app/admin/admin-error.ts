/** A command cannot do what was asked; the message tells the operator why. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
