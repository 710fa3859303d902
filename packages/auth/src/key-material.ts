/** A key, pepper or secret of the configuration cannot be used. The message has its id and never its value. */
export class KeyMaterialError extends Error {
  override readonly name = 'KeyMaterialError';
}
