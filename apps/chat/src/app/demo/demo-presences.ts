import type { Tx } from '@switchboard/database';

/**
 * Marks all users of a realm except bots as active at the current time. Uses SQL, because a database sequence numbers
 * the presence rows (docs/adr/0031).
 */
export async function addDemoPresences(tx: Tx, realmId: number): Promise<void> {
  await tx.query(
    `INSERT INTO presences (user_id, realm_id, last_active_at, last_connected_at, update_id)
     SELECT id, realm_id, now(), now(), nextval('presence_update_ids') FROM users
     WHERE realm_id = $1 AND bot_type IS NULL ORDER BY id`,
    [realmId],
  );
}
