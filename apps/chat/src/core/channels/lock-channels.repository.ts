import type { Tx } from '@switchboard/database';
import type { StoredChannel } from './channels.repository.js';
import { channelPermissions } from './wire-channel.js';

/** A channel whose row is locked until the transaction ends. */
export interface LockedChannel extends Omit<
  StoredChannel,
  | 'first_message_id'
  | 'subscriber_count'
  | 'rendered_description'
  | 'date_created'
  | 'is_recently_active'
  | 'weekly_traffic'
> {
  realm_id: number;
  recipient_id: number;
}

/** Channels by id, by the keys of their names, or both. */
export interface ChannelSelection {
  readonly ids?: readonly number[];
  readonly nameKeys?: readonly string[];
}

const columns = `c.id, c.realm_id, c.name, c.description, c.creator_id, c.is_private, c.is_web_public, c.is_archived, c.is_default,
  c.history_public_to_subscribers, c.folder_id, c.message_retention_days, c.topics_policy, r.id AS recipient_id,
  ${channelPermissions.map((name) => `c.${name}_id`).join(', ')}`;

const locks = {
  subscribers: 'FOR SHARE OF c FOR NO KEY UPDATE OF r',
  messages: 'FOR SHARE OF c, r',
  settings: 'FOR NO KEY UPDATE OF c, r',
} as const;

/**
 * Loads and holds channels, in the order of their ids. What depends on them has to be read by later statements: only
 * the locked rows themselves are as new as the lock.
 *
 * Sends share the lock of `r` alone, so that a change of the subscribers and a message never overlap.
 *
 * @param purpose `subscribers`: the channel stays as it is while its subscribers change or the service posts a message,
 *   one transaction at a time. `messages`: both stay as they are while a message of the channel changes; other messages
 *   are sent and changed meanwhile. `settings`: the channel itself changes.
 */
export async function lockChannels(
  tx: Tx,
  realmId: number,
  { ids = [], nameKeys = [] }: ChannelSelection,
  purpose: keyof typeof locks,
): Promise<LockedChannel[]> {
  const { rows } = await tx.query<LockedChannel>(
    `SELECT ${columns} FROM channels c JOIN recipients r ON r.channel_id = c.id
     WHERE c.realm_id = $1 AND (c.id = ANY($2::bigint[]) OR c.name_key = ANY($3)) ORDER BY c.id
     ${locks[purpose]}`,
    [realmId, ids, nameKeys],
  );
  return rows;
}
