/**
 * Parses a hardware address of `bytes` bytes in a common notation: hexadecimal digits separated by colons, hyphens,
 * dots or nothing. Returns upper-case pairs separated by colons, or null for any other text.
 */
export function parseHardwareAddress(text: string, bytes: 6 | 8): string | null {
  const given = text.trim();
  const digits = bytes * 2;
  if (given.length > digits * 2 || !/^[0-9a-f]+([:.-][0-9a-f]+)*$/i.test(given)) return null;
  const separators = new Set(given.replace(/[0-9a-f]/gi, ''));
  if (separators.size > 1) return null;
  const groups = given.split(/[:.-]/);
  const size = digits / groups.length;
  // A single digit in a pair gets a leading zero: `0:1b:…` is `00:1b:…`.
  const fits = groups.every((group) => group.length === size || (groups.length === bytes && group.length === 1));
  if (!Number.isInteger(size) || size % 2 !== 0 || !fits) return null;
  const whole = groups.map((group) => group.padStart(size, '0')).join('');
  return (whole.match(/../g) ?? []).join(':').toUpperCase();
}
