/** A key, pepper or secret from the configuration cannot be used. The message names its id and never its value. */
export class KeyMaterialError extends Error {
  override readonly name = 'KeyMaterialError';
}
