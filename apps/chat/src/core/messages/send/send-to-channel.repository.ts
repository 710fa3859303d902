import type { Tx } from '@switchboard/database';
import { type ChatActor, role } from '../../../infra/http/actor.js';
import type { OpenDestination } from './channel-destination.repository.js';
import { lockSend, SendAgain, type SendLock } from './channel-recipients.repository.js';
import { type ChannelReference, digitsOf } from './destination.js';
import type { InsertedMessage } from './inserted-message.js';
import { personJson } from '../wire/message-rows.js';
import {
  awaitedIn,
  channelRecipients,
  destinationTables,
  insertedText,
  type MessageText,
  sendRules,
  sentColumns,
  sentValues,
  takesTopic,
  textValues,
  visibilityPolicySql,
} from './send-message.sql.js';
import { textKey } from '../../../infra/text-key.js';

/** Row of a message inserted by the fast path. */
interface SentRow {
  channel_id: number;
  name: string;
  recipient_id: number;
  is_private: boolean;
  realm: string;
  sender: OpenDestination['sender'];
  message_id: number;
  sent_at: number;
  user_ids: number[];
  is_first: boolean;
  is_awaited: boolean;
  visibility_policy: 2 | 3 | null;
}

/**
 * Checks a channel and inserts a message there in one statement, which leaves together with the one that locks: one
 * round trip for most messages. Handles only messages without mentions, and permissions that are held through built-in
 * role groups; the caller falls back to the full check otherwise.
 *
 * @param flags the flags of the sender's own row, and the users whose flags the message sets
 * @returns null, and nothing is written, unless the statement sees that the actor may send
 * @throws SendAgain
 */
export async function tryInsertChannelMessage(
  tx: Tx,
  actor: ChatActor,
  reference: ChannelReference,
  message: MessageText,
  flags: { readonly sender: number; readonly attentiveIds: readonly number[] },
  lock: SendLock,
): Promise<{ destination: OpenDestination; inserted: InsertedMessage } | null> {
  const byName = 'name' in reference;
  if (byName && digitsOf(reference.name) !== null) return null;
  const insert = [
    actor.id,
    actor.realmId,
    byName ? textKey(reference.name) : reference.id,
    ...textValues(message),
    flags.sender,
    flags.attentiveIds,
  ];
  // The server runs the second when the first has its locks, with a snapshot of that moment.
  const [lockedIds, { rows }] = await Promise.all([
    lockSend(tx, actor, reference, lock),
    tx.query<{ sent: SentRow }>(byName ? statements.byName : statements.byId, insert),
  ]);
  const [row] = rows;
  if (row === undefined) return null;
  // While the locks were waited for, the name was given to another channel.
  if (!lockedIds.has(row.sent.channel_id)) throw new SendAgain(lock);
  return toSent(row.sent, actor, flags.sender);
}

function toSent(row: SentRow, actor: ChatActor, senderFlags: number) {
  const destination: OpenDestination = {
    recipientId: row.recipient_id,
    channel: { id: row.channel_id, name: row.name },
    isPublic: !row.is_private,
    realm: row.realm,
    sender: row.sender,
  };
  const inserted: InsertedMessage = {
    id: row.message_id,
    sentAt: row.sent_at,
    receivers: groupRecipientsByFlags(row.user_ids, actor.id, senderFlags),
    isFirst: row.is_first,
    isAwaited: row.is_awaited,
    visibilityPolicy: row.visibility_policy,
  };
  return { destination, inserted };
}

/** Groups user ids by flags: the sender has flags, all others none. */
function groupRecipientsByFlags(
  userIds: readonly number[],
  senderId: number,
  senderFlags: number,
): InsertedMessage['receivers'] {
  if (senderFlags === 0 || !userIds.includes(senderId)) return userIds.length === 0 ? [] : [[0, userIds]];
  const others = userIds.filter((id) => id !== senderId);
  const own = [senderFlags, [senderId]] as const;
  return others.length === 0 ? [own] : [[0, others], own];
}

/**
 * Condition that the actor is certainly in a system group, by role; false for all other groups, which the full check
 * decides.
 */
const holds = (group: string): string =>
  `(${group}.kind = 'system' AND CASE ${group}.name WHEN 'role:internet' THEN true WHEN 'role:everyone' THEN true
     WHEN 'role:members' THEN sender.role <> ${role.guest} ELSE false END)`;

// Of narrower facts than the steps use: they decide where this statement refuses.
const rules = sendRules({
  belongs: 's.user_id IS NOT NULL',
  inSendingGroup: holds('sending'),
  inCreatingGroup: holds('creating'),
});

const recipients = channelRecipients({
  channelId: '(SELECT channel_id FROM channel)',
  topicKey: '$6',
  attentiveIds: '$15',
});

// One column: the description of twenty, read anew with every answer, costs more than their JSON. No probe that can be
// saved: setting up each costs as much as its work, and everybody who receives the message waits for it.
const sendSql = (named: string): string => `
  WITH channel AS MATERIALIZED (
    SELECT c.id AS channel_id, c.name, c.is_private, c.realm_id, r.id AS recipient_id, realm.string_id AS realm,
      sender.settings, sender.bot_type IS NOT NULL AS is_bot, coalesce(s.is_muted, false) AS is_muted,
      ${personJson('sender')} AS sender
    FROM ${destinationTables}
    JOIN user_groups sending ON sending.id = c.can_send_message_group_id
    JOIN user_groups creating ON creating.id = c.can_create_topic_group_id
    WHERE c.realm_id = $2 AND ${named} AND sender.is_active
      AND ${rules.readable} AND ${rules.maySend} AND ${rules.mayCreateTopics} AND ${takesTopic('$5')}
  ), message AS (
    INSERT INTO messages (realm_id, sender_id, recipient_id, ${sentColumns})
    SELECT $2, $1, recipient_id, ${sentValues} FROM channel, topic_of(recipient_id, $6, $5) topic
    RETURNING id, date_sent, topic_id
  ), ${insertedText}, receiver AS (
    INSERT INTO user_messages (user_id, message_id, flags)
    SELECT recipient.user_id, message.id, CASE WHEN recipient.user_id = $1 THEN $14::int ELSE 0 END
    FROM message, (${recipients}) AS recipient
    RETURNING user_id
  )
  SELECT row_to_json(sent) AS sent FROM (
    SELECT channel.channel_id, channel.name, channel.recipient_id, channel.is_private, channel.realm, channel.sender,
      message.id AS message_id, floor(extract(epoch FROM message.date_sent))::bigint AS sent_at,
      (SELECT coalesce(json_agg(user_id ORDER BY user_id), '[]') FROM receiver) AS user_ids,
      NOT known.topic AND NOT EXISTS (SELECT 1 FROM messages other WHERE other.recipient_id = channel.recipient_id)
        AS is_first,
      ${awaitedIn({ realm: 'channel.realm_id', channel: 'channel.channel_id', topicKey: '$6', sender: '$1' })}
        AS is_awaited,
      CASE WHEN NOT channel.is_bot THEN ${visibilityPolicySql({
        settings: 'channel.settings',
        isMuted: 'channel.is_muted',
        isKnown: 'known.topic',
        current: 'coalesce(known.policy, 0)',
      })} END AS visibility_policy
    FROM channel, message, LATERAL (
      SELECT
        EXISTS (SELECT 1 FROM messages other WHERE other.topic_id = message.topic_id)
          AS topic,
        (SELECT ut.visibility_policy FROM user_topics ut
         WHERE ut.user_id = $1 AND ut.channel_id = channel.channel_id AND ut.topic_key = $6) AS policy
      OFFSET 0) known) sent`;

const statements = {
  byName: { name: 'send-to-channel-by-name', text: sendSql('c.name_key = $3::text') },
  byId: { name: 'send-to-channel-by-id', text: sendSql('c.id = $3::bigint') },
} as const;
