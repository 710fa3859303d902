/**
 * Parses a hardware address of so many bytes in any common notation: hexadecimal digits with colons, hyphens, dots or
 * no separators. Returns upper-case pairs with colons; null for anything else.
 */
export function parseHardwareAddress(text: string, bytes: 6 | 8): string | null {
  const given = text.trim();
  const digits = bytes * 2;
  if (given.length > digits * 2 || !/^[0-9a-f]+([:.-][0-9a-f]+)*$/i.test(given)) return null;
  const separators = new Set(given.replace(/[0-9a-f]/gi, ''));
  if (separators.size > 1) return null;
  const groups = given.split(/[:.-]/);
  const size = digits / groups.length;
  // A lone digit in a pair stands for itself: `0:1b:…` is `00:1b:…`.
  const fits = groups.every((group) => group.length === size || (groups.length === bytes && group.length === 1));
  if (!Number.isInteger(size) || size % 2 !== 0 || !fits) return null;
  const whole = groups.map((group) => group.padStart(size, '0')).join('');
  return (whole.match(/../g) ?? []).join(':').toUpperCase();
}
