import type { Tx } from '@switchboard/database';

/** A browser's session. Its token is stored as a digest: a stolen table opens no account. */
export interface NewSession {
  readonly tokenDigest: string;
  readonly userId: number;
  readonly csrfToken: string;
  readonly lifetimeSeconds: number;
}

/** Begins a session, in the place of one that the browser had. */
export async function addSession(tx: Tx, session: NewSession, replacedDigest: string | null): Promise<void> {
  await tx.query(
    `WITH replaced AS (DELETE FROM sessions WHERE token_digest = $5)
     INSERT INTO sessions (token_digest, user_id, csrf_token, expires_at)
     VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
    [session.tokenDigest, session.userId, session.csrfToken, session.lifetimeSeconds, replacedDigest],
  );
}

/** Ends a session. */
export async function removeSession(tx: Tx, tokenDigest: string): Promise<void> {
  await tx.query('DELETE FROM sessions WHERE token_digest = $1', [tokenDigest]);
}

/** Removes the rows of sessions whose time is over. */
export async function removeExpiredSessions(tx: Tx): Promise<void> {
  await tx.query('DELETE FROM sessions WHERE expires_at <= now()');
}
