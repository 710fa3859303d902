import type { Tx } from '@switchboard/database';

/**
 * Marks all users of a realm as active now. Runs SQL, because the number of a presence comes from a sequence
 * (docs/adr/0031).
 */
export async function addDemoPresences(tx: Tx, realmId: number): Promise<void> {
  await tx.query(
    `INSERT INTO presences (user_id, realm_id, last_active_at, last_connected_at, update_id)
     SELECT id, realm_id, now(), now(), nextval('presence_update_ids') FROM users
     WHERE realm_id = $1 AND bot_type IS NULL ORDER BY id`,
    [realmId],
  );
}
