import type { Tx } from '@switchboard/database';

/** First key of this advisory lock; no other lock of this service uses it. */
const defaultsLock = 992_104;

/** Default channels of a realm, and the audience of the event about them. */
export interface DefaultChannels {
  readonly channelIds: number[];
  /** User ids of all non-guests. */
  readonly members: number[];
}

/** Reads the default channels after a change, in two statements. The lock lets one transaction at a time emit them. */
export async function readDefaultChannels(tx: Tx, realmId: number): Promise<DefaultChannels> {
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [defaultsLock, realmId]);
  const { rows } = await tx.query<{ channel_ids: number[]; members: number[] }>(
    `SELECT ARRAY(SELECT id FROM channels WHERE realm_id = $1 AND is_default AND NOT is_archived ORDER BY id) AS channel_ids,
       ARRAY(SELECT id FROM users WHERE realm_id = $1 AND is_active AND role < 600) AS members`,
    [realmId],
  );
  return { channelIds: rows[0]?.channel_ids ?? [], members: rows[0]?.members ?? [] };
}
