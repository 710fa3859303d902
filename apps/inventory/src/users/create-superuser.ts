import { hashPassword } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';

/**
 * Makes a superuser, or gives an existing user a new password and all rights.
 *
 * @returns the user's id
 */
export async function createSuperuser(tx: Tx, username: string, password: string): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO users_user (username, password, is_superuser) VALUES ($1, $2, true)
      ON CONFLICT (username) DO UPDATE SET password = excluded.password, is_superuser = true, is_active = true
      RETURNING id`,
    [username, await hashPassword(password)],
  );
  return rows[0]?.id ?? 0;
}
