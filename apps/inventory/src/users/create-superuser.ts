import { hashPassword, type Invalidations } from '@switchboard/auth';
import type { Database, Tx } from '@switchboard/database';
import { translateDatabaseError } from '@switchboard/errors';

/** Error for a user name that differs from an existing one only in case. Its message is shown to the operator. */
export class SimilarUsernameError extends Error {
  override readonly name = 'SimilarUsernameError';
}

/**
 * Creates a superuser, or resets password and rights of an existing user.
 *
 * @returns the user's id
 * @throws SimilarUsernameError
 */
export async function createSuperuser(tx: Tx, username: string, password: string): Promise<number> {
  const hash = await hashPassword(password);
  try {
    const { rows } = await tx.query<{ id: number }>(
      `INSERT INTO users_user (username, password, is_superuser) VALUES ($1, $2, true)
        ON CONFLICT (username) DO UPDATE SET password = excluded.password, is_superuser = true, is_active = true
        RETURNING id`,
      [username, hash],
    );
    return rows[0]?.id ?? 0;
  } catch (error) {
    if (translateDatabaseError(error)?.constraint !== 'users_user_username_similar') throw error;
    throw new SimilarUsernameError(`There is a user whose name differs from ${username} by case alone.`, {
      cause: error,
    });
  }
}

/**
 * Runs {@link createSuperuser} in a transaction, then invalidates the user's cached credentials in all processes,
 * because an existing user may have been inactive or no superuser.
 */
export async function resetSuperuser(
  parts: { readonly database: Database; readonly invalidations: Pick<Invalidations, 'publish'> },
  username: string,
  password: string,
): Promise<void> {
  const id = await parts.database.inTransaction((tx) => createSuperuser(tx, username, password));
  await parts.invalidations.publish(`users.user:${id}`);
}
