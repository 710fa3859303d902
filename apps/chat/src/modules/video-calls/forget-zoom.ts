import type { Tx } from '@switchboard/database';

/** Forgets what somebody let us have at Zoom, for good and without a word: nobody is there to be told. */
export async function forgetZoom(tx: Tx, userId: number): Promise<void> {
  await tx.query('DELETE FROM zoom_tokens WHERE user_id = $1', [userId]);
}
