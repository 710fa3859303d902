import type { Tx } from '@switchboard/database';
import type { z } from 'zod';
import { type ChatActor, isOwnerOrAdministrator, userRoleNumbers } from '../../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../../errors.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import { isChannelReadableSql } from '../../access/channel-access.js';
import { type ChannelReference, parseDecimalDigits } from './parse-recipients.js';
import type { messagePersonRecordSchema } from '../wire/message-record-schema.js';
import { createPersonJsonSql } from '../wire/message-rows-sql.js';

/** A channel to which the actor may send messages, with the channel's rules for topics and mentions. */
export interface ChannelDestination {
  readonly recipientId: number;
  readonly channel: { readonly id: number; readonly name: string };
  /** True if users who do not subscribe to the channel can also read it. */
  readonly isPublic: boolean;
  readonly realm: string;
  readonly sender: z.infer<typeof messagePersonRecordSchema>;
  readonly topicsPolicy: string;
  readonly mayCreateTopics: boolean;
  readonly mayMentionMany: boolean;
}

/** Database row that the statement {@link channelDestinationSql} returns. */
interface ChannelDestinationRow {
  id: number;
  name: string;
  recipient_id: number;
  is_private: boolean;
  topics_policy: string;
  readable: boolean;
  belongs: boolean;
  may_send: boolean;
  may_create_topics: boolean;
  may_mention_many: boolean;
  realm: string;
  sender: z.infer<typeof messagePersonRecordSchema>;
  sender_is_active: boolean;
}

/**
 * Loads the channel of a message, and checks that the actor may send to it. Takes no locks: a caller that writes must
 * have locked the channel in an earlier statement.
 * @param options `sends`: false for a message that exists already.
 * @throws ApplicationError STREAM_DOES_NOT_EXIST for a channel that is missing or hidden; BAD_REQUEST when the actor
 * can see it but may not send to it; USER_DEACTIVATED
 */
export async function getChannelDestination(
  tx: Tx,
  actor: ChatActor,
  reference: ChannelReference,
  options: { readonly sends: boolean } = { sends: true },
): Promise<ChannelDestination> {
  const row = await findDestinationChannel(tx, actor, reference);
  if (row?.sender_is_active === false) throw chatErrors.create('USER_DEACTIVATED');
  if (row === undefined || !(row.readable || row.belongs || isOwnerOrAdministrator(actor)))
    throw createMissingChannelError(reference);
  if (options.sends && !row.may_send) {
    throw createBadRequestError(`Not authorized to send to channel '${row.name}'`);
  }
  return toChannelDestination(row);
}

/** Converts the database row of a channel to the destination of a message. */
function toChannelDestination(row: ChannelDestinationRow): ChannelDestination {
  return {
    recipientId: row.recipient_id,
    channel: { id: row.id, name: row.name },
    isPublic: !row.is_private,
    topicsPolicy: row.topics_policy,
    mayCreateTopics: row.may_create_topics,
    mayMentionMany: row.may_mention_many,
    realm: row.realm,
    sender: row.sender,
  };
}

/** SQL condition that the sender subscribes to the channel, is a bot whose owner subscribes, or is a system bot. */
const senderMayPostSql = `(s.user_id IS NOT NULL OR sender.is_system_bot OR EXISTS (
      SELECT 1 FROM subscriptions os WHERE os.channel_id = c.id AND os.user_id = sender.bot_owner_id AND os.is_active))`;

/**
 * Returns an SQL condition that the sender has a permission of the channel. A bot also has the permissions of its
 * owner.
 */
const hasSenderChannelPermissionSql = (groupId: string): string => `(${groupId} = ANY (g.ids) OR sender.is_system_bot
      OR (sender.bot_owner_id IS NOT NULL AND ${groupId} = ANY (user_group_ids(sender.bot_owner_id))))`;

/**
 * SQL that selects the channels to which a reference may refer. The result columns decide whether the actor may send to
 * a channel. {@link channelDestinationValues} returns the parameter values of the SQL.
 */
const channelDestinationSql = `
  WITH g AS MATERIALIZED (SELECT user_group_ids($1) AS ids)
  SELECT c.id, c.name, r.id AS recipient_id, c.is_private,
    CASE c.topics_policy WHEN 'inherit' THEN coalesce(realm.settings->>'topics_policy', 'allow_empty_topic')
      ELSE c.topics_policy END AS topics_policy,
    ${isChannelReadableSql({ actor: '$1', isGuest: `(sender.role = ${userRoleNumbers.guest})` })} AS readable,
    ${senderMayPostSql} AS belongs,
    NOT c.is_archived AND (${senderMayPostSql} OR NOT c.is_private)
      AND ${hasSenderChannelPermissionSql('c.can_send_message_group_id')} AS may_send,
    ${hasSenderChannelPermissionSql('c.can_create_topic_group_id')} AS may_create_topics,
    EXISTS (SELECT 1 FROM realm_permissions rp WHERE rp.realm_id = c.realm_id
      AND rp.setting = 'can_mention_many_users_group' AND rp.group_id = ANY(g.ids)) AS may_mention_many,
    realm.string_id AS realm, ${createPersonJsonSql('sender')} AS sender, sender.is_active AS sender_is_active
  FROM channels c
  JOIN recipients r ON r.channel_id = c.id
  JOIN realms realm ON realm.id = c.realm_id
  JOIN users sender ON sender.id = $1
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $1 AND s.is_active
  CROSS JOIN g
  WHERE c.realm_id = $2 AND (c.id = $3::bigint OR c.name_key = $4)`;

/** Returns the four parameter values of the SQL statement {@link channelDestinationSql}. */
function channelDestinationValues(actor: ChatActor, reference: ChannelReference): unknown[] {
  const byName = 'name' in reference;
  return [
    actor.id,
    actor.realmId,
    byName ? parseDecimalDigits(reference.name) : reference.id,
    byName ? normalizeTextForComparison(reference.name) : null,
  ];
}

async function findDestinationChannel(
  tx: Tx,
  actor: ChatActor,
  reference: ChannelReference,
): Promise<ChannelDestinationRow | undefined> {
  const { rows } = await tx.query<ChannelDestinationRow>(
    { name: 'channel-destination', text: channelDestinationSql },
    channelDestinationValues(actor, reference),
  );
  const digits = 'name' in reference ? parseDecimalDigits(reference.name) : null;
  return rows.find((row) => row.id === digits) ?? rows[0];
}

/**
 * Returns the channel to which a bot sends messages without a given channel. Returns null if the bot has no default
 * channel.
 */
export async function findDefaultChannelOfBot(tx: Tx, userId: number): Promise<ChannelReference | null> {
  const { rows } = await tx.query<{ id: number | null }>(
    'SELECT default_sending_channel_id AS id FROM users WHERE id = $1',
    [userId],
  );
  const id = rows[0]?.id ?? null;
  return id === null ? null : { id };
}

function createMissingChannelError(reference: ChannelReference): Error {
  if ('name' in reference) {
    const fields = { stream: reference.name };
    return chatErrors.create('STREAM_DOES_NOT_EXIST', { params: fields, fields });
  }
  return chatErrors.create('STREAM_DOES_NOT_EXIST', {
    message: `Channel with ID '${reference.id}' does not exist`,
    fields: { stream_id: reference.id },
  });
}
