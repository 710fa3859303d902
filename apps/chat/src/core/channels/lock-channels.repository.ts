import type { Tx } from '@switchboard/database';
import type { StoredChannel } from './channels.repository.js';
import { channelPermissionNames } from './wire-channel.js';

/** A channel whose row the transaction has locked until its end. */
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

/** Selection of the channels to lock: by id, by normalized name, or by both. */
export interface ChannelsToLock {
  readonly ids?: readonly number[];
  readonly nameKeys?: readonly string[];
}

const lockedChannelColumns = `c.id, c.realm_id, c.name, c.description, c.creator_id, c.is_private, c.is_web_public, c.is_archived, c.is_default,
  c.history_public_to_subscribers, c.folder_id, c.message_retention_days, c.topics_policy, r.id AS recipient_id,
  ${channelPermissionNames.map((name) => `c.${name}_id`).join(', ')}`;

const channelLockClausesByPurpose = {
  subscribers: 'FOR SHARE OF c FOR NO KEY UPDATE OF r',
  messages: 'FOR SHARE OF c, r',
  settings: 'FOR NO KEY UPDATE OF c, r',
} as const;

/**
 * Loads and locks channels, in the order of their ids. Callers must read dependent rows in later SQL statements,
 * because only the locked rows are up to date. Sending a message locks only the row in `recipients`, in shared mode, so
 * that the subscribers never change during the sending of a message.
 *
 * @param purpose `subscribers`: prevents changes of the channel while its subscribers change or the service posts a
 * message, one transaction at a time. `messages`: prevents changes of the channel and its subscribers while a message
 * of the channel changes. Other messages can be sent and changed at the same time. `settings`: for changes of the
 * channel itself.
 */
export async function lockChannels(
  tx: Tx,
  realmId: number,
  { ids = [], nameKeys = [] }: ChannelsToLock,
  purpose: keyof typeof channelLockClausesByPurpose,
): Promise<LockedChannel[]> {
  const { rows } = await tx.query<LockedChannel>(
    `SELECT ${lockedChannelColumns} FROM channels c JOIN recipients r ON r.channel_id = c.id
     WHERE c.realm_id = $1 AND (c.id = ANY($2::bigint[]) OR c.name_key = ANY($3)) ORDER BY c.id
     ${channelLockClausesByPurpose[purpose]}`,
    [realmId, ids, nameKeys],
  );
  return rows;
}
