/**
 * Error for a configured key, pepper or secret that cannot be used. The message contains its id and never its value.
 */
export class KeyMaterialError extends Error {
  override readonly name = 'KeyMaterialError';
}
