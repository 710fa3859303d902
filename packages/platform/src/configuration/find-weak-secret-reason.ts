/**
 * Returns the reason why key material of the form `id:value,id:value` must not be used in production, or undefined if
 * it may be used. Rejects values that consist of one repeated byte, as text or decoded from base64. Also rejects the
 * public values of development mode.
 *
 * @param development pairs used in development mode
 */
export function findWeakSecretReason(pairs: string, development: string): string | undefined {
  const known = new Set(development.split(',').map(getPairValue));
  for (const pair of pairs.split(',')) {
    const value = getPairValue(pair);
    const id = pair.slice(0, pair.indexOf(':')).trim();
    if (known.has(value)) {
      return `"${id}" is the public value of development`;
    }
    if (consistsOfOneByte(Buffer.from(value.replace(/=+$/, ''))) || consistsOfOneByte(Buffer.from(value, 'base64'))) {
      return `"${id}" is one byte repeated; it has to be random`;
    }
  }
  return undefined;
}

function getPairValue(pair: string): string {
  return pair.slice(pair.indexOf(':') + 1).trim();
}

function consistsOfOneByte(bytes: Buffer): boolean {
  return bytes.length > 0 && bytes.every((byte) => byte === bytes[0]);
}
