/**
 * Returns the normalized form in which names, topics and email addresses are compared. The comparison ignores letter
 * case in all scripts.
 */
export function normalizeTextForComparison(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/**
 * Replaces each unpaired surrogate code unit in a text by a replacement character. Unpaired surrogates cannot be stored
 * as UTF-8.
 */
export function replaceLoneSurrogates(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
