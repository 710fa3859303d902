/** Returns the form in which names, topics and addresses are compared, which ignores letter case in any script. */
export function toTextKey(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/**
 * Replaces each unpaired half of a surrogate pair in a text, which cannot be stored as UTF-8, by a replacement
 * character.
 */
export function replaceLoneSurrogates(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
