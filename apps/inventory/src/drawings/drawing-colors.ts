/** Returns a stored color as a CSS color, or `otherwise` if the stored text is not six hexadecimal digits. */
export function formatStoredColorAsCss(stored: string | null | undefined, otherwise: string): string {
  return /^[0-9a-f]{6}$/i.test(stored ?? '') ? `#${stored}` : otherwise;
}

/**
 * Returns the text color, black or white, that is easier to read on the given background color of the form `#rrggbb`.
 */
export function getTextColorOn(background: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(background.slice(at, at + 2), 16));
  // Perceived brightness with the weights of ITU-R BT.601.
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? '#000000' : '#ffffff';
}
