import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import type { StatusChange } from './status-change.js';
import { userStatusJson, type WireUserStatus } from './wire-user-status.js';

/** Reads the status of a user; empty when none is set. */
export async function readStatus(tx: SqlReader, userId: number): Promise<WireUserStatus> {
  const { rows } = await tx.query<{ status: WireUserStatus }>(
    `SELECT ${userStatusJson} AS status FROM users u LEFT JOIN user_statuses us ON us.user_id = u.id WHERE u.id = $1`,
    [userId],
  );
  return rows[0]?.status ?? {};
}

/** Sets parts of a status; the others stay. */
export async function writeStatus(tx: Tx, userId: number, change: StatusChange): Promise<void> {
  await tx.query(
    `INSERT INTO user_statuses AS us (user_id, status_text, emoji_name, emoji_code, reaction_type)
     VALUES ($1, coalesce($2, ''), coalesce($3, ''), coalesce($4, ''), coalesce($5, ''))
     ON CONFLICT (user_id) DO UPDATE SET status_text = coalesce($2, us.status_text),
       emoji_name = coalesce($3, us.emoji_name), emoji_code = coalesce($4, us.emoji_code),
       reaction_type = coalesce($5, us.reaction_type)`,
    [
      userId,
      change.status_text ?? null,
      change.emoji_name ?? null,
      change.emoji_code ?? null,
      change.reaction_type ?? null,
    ],
  );
}
