import type { Tx } from '@switchboard/database';

/** A push notification token to be stored for a user's app. */
export interface NewPushToken {
  readonly kind: string;
  readonly digest: string;
  readonly sealed: string;
  /** Bundle identifier of the iOS app that registered a push token; null for other apps. */
  readonly iosAppId: string | null;
}

/**
 * Inserts a push token of a user, and deletes the user's oldest tokens beyond `limit`. A token that is already stored
 * remains unchanged.
 */
export async function addPushToken(
  tx: Tx,
  userId: number,
  { kind, digest, sealed, iosAppId }: NewPushToken,
  limit: number,
): Promise<void> {
  await tx.query(
    `INSERT INTO push_tokens (user_id, kind, token_digest, token_sealed, ios_app_id) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (user_id, kind, token_digest) DO NOTHING`,
    [userId, kind, digest, sealed, iosAppId],
  );
  await tx.query(
    'DELETE FROM push_tokens WHERE id IN (SELECT id FROM push_tokens WHERE user_id = $1 ORDER BY id DESC OFFSET $2)',
    [userId, limit],
  );
}

/** Removes a push token of a user. Returns false if the token does not exist. */
export async function removePushToken(tx: Tx, userId: number, kind: string, digest: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'DELETE FROM push_tokens WHERE user_id = $1 AND kind = $2 AND token_digest = $3',
    [userId, kind, digest],
  );
  return rowCount > 0;
}

/** Returns true if the user has a push token with the given digest. */
export async function hasPushToken(tx: Tx, userId: number, digest: string): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT 1 FROM push_tokens WHERE user_id = $1 AND token_digest = $2', [
    userId,
    digest,
  ]);
  return rowCount > 0;
}
