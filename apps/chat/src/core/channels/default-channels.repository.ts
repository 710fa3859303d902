import type { Tx } from '@switchboard/database';
import { lockDefaultChannels } from '../database-locks.js';

/** Default channels of a realm, and the users who receive the event about these channels. */
export interface DefaultChannelsWithAudience {
  readonly channelIds: number[];
  /** User ids of all users of the realm except guests. */
  readonly members: number[];
}

/**
 * Reads the default channels of a realm after a change, in two SQL statements. Takes a lock that lets only one
 * transaction at a time emit the default channels.
 */
export async function readDefaultChannels(tx: Tx, realmId: number): Promise<DefaultChannelsWithAudience> {
  await lockDefaultChannels(tx, realmId);
  const { rows } = await tx.query<{ channel_ids: number[]; members: number[] }>(
    `SELECT ARRAY(SELECT id FROM channels WHERE realm_id = $1 AND is_default AND NOT is_archived ORDER BY id) AS channel_ids,
       ARRAY(SELECT id FROM users WHERE realm_id = $1 AND is_active AND role < 600) AS members`,
    [realmId],
  );
  return { channelIds: rows[0]?.channel_ids ?? [], members: rows[0]?.members ?? [] };
}
