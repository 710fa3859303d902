import type { Tx } from '@switchboard/database';

/** Any number that no other advisory lock of this service uses as its first key. */
const defaultsLock = 992_104;

/** Payload and audience of the event about default channels. */
export interface DefaultChannels {
  readonly channelIds: number[];
  /** User ids of all non-guests. */
  readonly members: number[];
}

/** Reads the default channels after a change, in two statements. One transaction at a time emits them. */
export async function readDefaultChannels(tx: Tx, realmId: number): Promise<DefaultChannels> {
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [defaultsLock, realmId]);
  const { rows } = await tx.query<{ channel_ids: number[]; members: number[] }>(
    `SELECT ARRAY(SELECT id FROM channels WHERE realm_id = $1 AND is_default AND NOT is_archived ORDER BY id) AS channel_ids,
       ARRAY(SELECT id FROM users WHERE realm_id = $1 AND is_active AND role < 600) AS members`,
    [realmId],
  );
  return { channelIds: rows[0]?.channel_ids ?? [], members: rows[0]?.members ?? [] };
}
