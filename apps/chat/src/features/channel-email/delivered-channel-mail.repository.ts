import type { Tx } from '@switchboard/database';
import { chatActorColumns, type AuthenticatedAccountRow, toCredentialOwner } from '../../core/access/authenticator.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import type { ChannelAddressIds } from './channel-email-address.js';

/**
 * Accounts to which the email address of a channel refers: the creator of the address and the sender of the messages.
 */
export interface ChannelEmailAddressAccounts {
  readonly realmId: number;
  /** User for whom the channel's email address was created. */
  readonly creator: CredentialOwner;
  /** Account that sends the messages for emails to the address. */
  readonly sender: CredentialOwner;
  /**
   * True if the sender of the messages is a system bot. In this case the permissions of the address's creator are
   * checked.
   */
  readonly isSystemSender: boolean;
}

/**
 * Loads the accounts to which a channel's email address refers. Returns null if the channel does not exist or is
 * archived, or if one of the accounts is deactivated. Also returns null if the creator may no longer send messages as
 * this sender.
 */
export async function findChannelEmailAddressAccounts(
  database: Pick<Tx, 'query'>,
  { channelId, creatorId, senderId }: ChannelAddressIds,
): Promise<ChannelEmailAddressAccounts | null> {
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

/** Returns true if an email with the given digest was already delivered. */
export async function wasMailDelivered(database: Pick<Tx, 'query'>, digest: string): Promise<boolean> {
  const { rowCount } = await database.query('SELECT 1 FROM delivered_mails WHERE digest = $1', [digest]);
  return rowCount > 0;
}

/**
 * Records an email as delivered, in the transaction that posts its message. Returns false if the email was already
 * recorded.
 */
export async function recordDeliveredMail(tx: Tx, digest: string): Promise<boolean> {
  const { rowCount } = await tx.query('INSERT INTO delivered_mails (digest) VALUES ($1) ON CONFLICT DO NOTHING', [
    digest,
  ]);
  return rowCount > 0;
}
