/** The form in which names, topics and addresses are compared: case does not count, in any script. */
export function textKey(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** The text with a replacement character for every half of a surrogate pair: those cannot be stored as UTF-8. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
