import type { Tx } from '@switchboard/database';

/** Deletes the Zoom tokens of accounts that are being deactivated. Emits no event: their event queues end. */
export async function forgetZoom(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx.query('DELETE FROM zoom_tokens WHERE user_id = ANY($1)', [userIds]);
}
