import { formatToken, generateTokenKey, generateTokenSecret, parseTokenHeader, type Pepper } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';

/** Returns a new token in the form `nbt_<key>.<secret>`. */
export function newToken(): string {
  return formatToken(generateTokenKey(), generateTokenSecret());
}

/**
 * Stores a token for a user unless it exists.
 *
 * @param value `nbt_<key>.<secret>`, or the 40 characters of a version 1 token
 * @throws RangeError if the value is not a token
 */
export async function storeTokenFor(
  tx: Tx,
  pepper: Pepper,
  token: { userId: number; value: string; description: string },
): Promise<void> {
  const parsed = parseTokenHeader(`Bearer ${token.value}`);
  if (parsed.scheme !== 'v1' && parsed.scheme !== 'v2') throw new RangeError('The value is no token');
  const { pepperId, digest } = pepper.digest(parsed.secret);
  const [version, key, hint] = parsed.scheme === 'v2' ? [2, parsed.key, ''] : [1, null, parsed.secret.slice(-6)];
  await tx.query(
    `INSERT INTO users_token (version, key, hint, digest, pepper_id, user_id, description)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    [version, key, hint, digest, pepperId, token.userId, token.description],
  );
}
