/**
 * Error for a configured key, pepper or secret that cannot be used. The message contains the id of the key or secret,
 * never the value.
 */
export class KeyMaterialError extends Error {
  override readonly name = 'KeyMaterialError';
}
