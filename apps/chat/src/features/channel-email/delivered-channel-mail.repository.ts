import type { Tx } from '@switchboard/database';
import { chatActorColumns, type AuthenticatedAccountRow, toCredentialOwner } from '../../core/access/authenticator.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import type { ChannelAddressIds } from './channel-email-address.js';

/** Accounts that the email address of a channel refers to. */
export interface ChannelAddressAccounts {
  readonly realmId: number;
  /** User for whom the address was created. */
  readonly creator: CredentialOwner;
  /** Sender of the messages. */
  readonly sender: CredentialOwner;
  /** True if the sender is a system bot, so that the permissions of the creator are checked. */
  readonly isSystemSender: boolean;
}

/**
 * Loads the accounts of an address whose channel exists and is not archived. Returns null if one of the accounts is
 * deactivated, or the creator may no longer send as this sender.
 */
export async function findAddressAccounts(
  database: Pick<Tx, 'query'>,
  { channelId, creatorId, senderId }: ChannelAddressIds,
): Promise<ChannelAddressAccounts | null> {
  const { rows } = await database.query<
    AuthenticatedAccountRow & { is_system_bot: boolean; bot_owner_id: number | null }
  >(
    `SELECT ${chatActorColumns}, u.is_system_bot, u.bot_owner_id
     FROM channels c JOIN realms r ON r.id = c.realm_id JOIN users u ON u.realm_id = r.id
     WHERE c.id = $1 AND NOT c.is_archived AND NOT r.deactivated AND u.id IN ($2, $3) AND u.is_active`,
    [channelId, creatorId, senderId],
  );
  const creator = rows.find(({ id }) => id === creatorId);
  const sender = rows.find(({ id }) => id === senderId);
  if (creator === undefined || sender === undefined) return null;
  if (sender.id !== creator.id && sender.bot_owner_id !== creator.id && !sender.is_system_bot) return null;
  return {
    realmId: creator.realm_id,
    creator: toCredentialOwner(creator),
    sender: toCredentialOwner(sender),
    isSystemSender: sender.is_system_bot,
  };
}

/** Returns true if a mail with this digest was delivered. */
export async function wasMailDelivered(database: Pick<Tx, 'query'>, digest: string): Promise<boolean> {
  const { rowCount } = await database.query('SELECT 1 FROM delivered_mails WHERE digest = $1', [digest]);
  return rowCount > 0;
}

/** Records a mail in the transaction of its message. Returns false if it was recorded before. */
export async function recordDeliveredMail(tx: Tx, digest: string): Promise<boolean> {
  const { rowCount } = await tx.query('INSERT INTO delivered_mails (digest) VALUES ($1) ON CONFLICT DO NOTHING', [
    digest,
  ]);
  return rowCount > 0;
}
