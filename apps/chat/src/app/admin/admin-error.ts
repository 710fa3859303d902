/** Thrown if an admin command cannot be executed. The message is shown to the operator. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
