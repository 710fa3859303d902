import type { Tx } from '@switchboard/database';
import { messageFlagBits } from '../wire/message-flag-bits.js';
import type { InsertedMessage } from './inserted-message-row.js';
import { storeSendIdempotencyKeysSql } from './stored-send-keys.repository.js';
import type { MessageSendIdempotencyKey } from './idempotency-send-key.js';
import {
  wantsMissedMessageMailSql,
  selectChannelMessageRecipientsSql,
  sendSideEffectColumnsSql,
  insertMessageTextSql,
  selectRecipientsWithMentionsSql,
  type MessageText,
  sentMessageColumnsSql,
  messageValuesSql,
  messageTextValues,
} from './send-message.sql.js';
import { topicIdSql } from '../topics/topic-row-sql.js';

/** A message that will be inserted into the table `messages`. */
export interface NewMessage extends MessageText {
  readonly realmId: number;
  readonly senderId: number;
  readonly recipientId: number;
}

/**
 * Recipients of a message: the active subscribers of a channel, or a list of users. `attentiveIds` are the ids of
 * subscribers whose alert words or mutes affect the message flags. A null value means that rows are also written for
 * soft-deactivated subscribers.
 */
export type MessageRecipients =
  | { readonly channelId: number; readonly attentiveIds: readonly number[] | null }
  | { readonly userIds: readonly number[] };

/**
 * Users and groups that a message mentions. `readBySender` is true if the message is initially marked as read for its
 * sender.
 */
export interface InitialMessageFlags {
  readonly readBySender: boolean;
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly channelWildcard: boolean;
  readonly topicWildcard: boolean;
}

/** Database row with the result columns of {@link insertedMessageColumns}. */
interface InsertedMessageResultRow {
  message_id: number;
  sent_at: number;
  receivers: [number, number[]][] | null;
  is_first: boolean;
  is_awaited: boolean | null;
  is_repeated?: boolean;
  visibility_policy: 2 | 3 | null;
}

/**
 * Inserts a message and the rows of all its recipients, and stores the idempotency keys, in one SQL statement. If
 * `isRepeated` is true in the result, the caller must roll back, because a message with one of the keys was sent
 * before.
 */
export async function insertMessage(
  tx: Tx,
  message: NewMessage,
  receivers: MessageRecipients,
  flags: InitialMessageFlags,
  sendKeys: readonly MessageSendIdempotencyKey[] = [],
): Promise<InsertedMessage> {
  const toChannel = 'channelId' in receivers;
  const given = toChannel ? [receivers.channelId, receivers.attentiveIds] : [receivers.userIds];
  const hasKeys = sendKeys.length > 0;
  const statements = hasKeys ? insertMessageStatementsWithKeys : insertMessageStatements;
  const statement = statements[toChannel ? 'channel' : 'direct'][hasMentions(flags) ? 'calling' : 'plain'];
  const { rows } = await tx.query<InsertedMessageResultRow>(statement, [
    message.realmId,
    message.senderId,
    message.recipientId,
    ...messageTextValues(message),
    ...(hasMentions(flags) ? getInitialFlagSqlValues(flags) : [getSenderReadFlagBits(flags)]),
    ...given,
    ...(hasKeys ? [sendKeys.map(({ key }) => key), sendKeys.map(({ request }) => request)] : []),
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return toInsertedMessage(row);
}

/** Converts a database row with the columns of {@link insertedMessageColumns} to an inserted message. */
function toInsertedMessage(row: InsertedMessageResultRow): InsertedMessage {
  return {
    id: row.message_id,
    sentAt: row.sent_at,
    receivers: row.receivers ?? [],
    isFirst: row.is_first,
    isAwaited: row.is_awaited ?? false,
    visibilityPolicy: row.visibility_policy,
    isRepeated: row.is_repeated ?? false,
  };
}

/** Returns true if the message mentions a user, a group, or all users. */
export function hasMentions({ userIds, groupIds, channelWildcard, topicWildcard }: InitialMessageFlags): boolean {
  return userIds.length > 0 || groupIds.length > 0 || channelWildcard || topicWildcard;
}

/**
 * Returns the initial message flags of the sender's own row as bits: the flag `read` if the sender has read the
 * message, otherwise no flag.
 */
function getSenderReadFlagBits({ readBySender }: InitialMessageFlags): number {
  return readBySender ? messageFlagBits.read : 0;
}

function getInitialFlagSqlValues(flags: InitialMessageFlags): unknown[] {
  return [
    getSenderReadFlagBits(flags),
    flags.userIds,
    flags.groupIds,
    flags.channelWildcard ? messageFlagBits.stream_wildcard_mentioned : 0,
    flags.topicWildcard ? messageFlagBits.topic_wildcard_mentioned : 0,
  ];
}

/** SQL column list of the inserted row of `messages`, for the columns that {@link insertedMessageColumns} reads. */
const returnedMessageColumnsSql = 'id, date_sent, sender_id, recipient_id, topic_id, $6::text AS topic_key';

/**
 * SQL that selects the topic of a new message, by kind of message: channel or direct. Direct messages have no topic.
 */
const topicSqlByMessageKind = {
  channel: 'topic_of($3, $6, $5)',
  direct: `(SELECT NULL::bigint AS topic_id, 0::bigint AS topic_since, $5::text AS topic_name)`,
} as const;

const insertedMessageSql = (kind: keyof typeof topicSqlByMessageKind): string => `
  message AS (
    INSERT INTO messages (realm_id, sender_id, recipient_id, ${sentMessageColumnsSql})
    SELECT $1, $2, $3, ${messageValuesSql} FROM ${topicSqlByMessageKind[kind]} topic
    RETURNING ${returnedMessageColumnsSql}
  ), ${insertMessageTextSql}`;

/**
 * SQL result columns of a statement that inserts a message. The columns read the common table expressions `message` and
 * `receiver`, and match {@link InsertedMessageResultRow}.
 */
const insertedMessageColumns = `
    message.id AS message_id, floor(extract(epoch FROM message.date_sent))::bigint AS sent_at,
    (SELECT json_agg(json_build_array(alike.flags, alike.user_ids)) FROM (
      SELECT flags, array_agg(user_id ORDER BY user_id) AS user_ids FROM receiver GROUP BY flags) alike) AS receivers,
    ${wantsMissedMessageMailSql} AS is_awaited,
    ${sendSideEffectColumnsSql}`;

/**
 * Returns the end of a statement that inserts a message: the common table expression of the message's keys, if any, and
 * the result columns.
 *
 * @param keyPlace position of the SQL parameter that contains the keys; null for a statement without keys
 */
function selectInsertedMessageSql(keyPlace: number | null): string {
  if (keyPlace === null) return ` SELECT ${insertedMessageColumns} FROM message`;
  const { expression, column } = storeSendIdempotencyKeysSql(keyPlace);
  return `, ${expression} SELECT ${insertedMessageColumns}, ${column} FROM message`;
}

const senderFlagsSql = 'CASE WHEN receiver.user_id = $2 THEN $14::int ELSE 0 END';

/** Initial message flags that every recipient of a new message gets, by kind of message: channel or direct. */
const initialFlagsByRecipientType = { channel: 0, direct: messageFlagBits.direct } as const;

/**
 * Returns SQL that inserts a message without mentions. Messages with mentions use a separate SQL statement. That
 * statement also reads the mentioned users, and PostgreSQL plans it at each execution.
 */
function insertWithoutMentionsSql(
  kind: keyof typeof topicSqlByMessageKind,
  receivers: string,
  keyPlace: number | null,
): string {
  return `
  WITH ${insertedMessageSql(kind)}, receiver AS (
    INSERT INTO user_messages (user_id, message_id, flags)
    SELECT receiver.user_id, message.id, ${initialFlagsByRecipientType[kind]} | ${senderFlagsSql} FROM message, (${receivers}) AS receiver
    RETURNING user_id, flags
  )${selectInsertedMessageSql(keyPlace)}`;
}

/** Returns SQL that inserts a message with mentions, including mentions of groups and of participants of the topic. */
function insertWithMentionsSql(
  kind: keyof typeof topicSqlByMessageKind,
  receivers: string,
  keyPlace: number | null,
): string {
  return `
  WITH RECURSIVE ${insertedMessageSql(kind)}, called_group(id) AS (
    SELECT unnest($16::int[])
    UNION
    SELECT sg.subgroup_id FROM user_group_subgroups sg JOIN called_group g ON sg.group_id = g.id
  ), called AS (
    SELECT DISTINCT gm.user_id FROM user_group_members gm JOIN called_group g ON gm.group_id = g.id
  ), participant AS (
    SELECT DISTINCT sender_id AS user_id FROM messages
    WHERE $18::int <> 0 AND topic_id = ${topicIdSql('$3', '$6')}
  ), receiver AS (
    INSERT INTO user_messages (user_id, message_id, flags)
    SELECT receiver.user_id, message.id,
      ${initialFlagsByRecipientType[kind]} | ${senderFlagsSql}
      | CASE WHEN receiver.user_id = ANY($15::int[]) THEN ${messageFlagBits.mentioned} ELSE 0 END
      | CASE WHEN receiver.user_id IN (SELECT user_id FROM called) THEN ${messageFlagBits.group_mentioned} ELSE 0 END
      | $17::int
      | CASE WHEN receiver.user_id IN (SELECT user_id FROM participant) THEN $18::int ELSE 0 END
    FROM message, (${receivers}) AS receiver
    RETURNING user_id, flags
  )${selectInsertedMessageSql(keyPlace)}`;
}

/** SQL condition that a message mentions a subscriber. Used in the statement of {@link insertWithMentionsSql}. */
const isMentionedSubscriberSql = `($17::int <> 0 OR s.user_id = ANY($15::int[]) OR s.user_id IN (
  SELECT user_id FROM called UNION ALL SELECT user_id FROM participant))`;

const mentionedUsersSql = (userIds: string): string => `SELECT unnest(${userIds}::int[]) AS user_id`;

/**
 * Returns the SQL statements that insert a message. With `hasKeys`, the last two parameters of each statement contain
 * idempotency keys.
 */
function getInsertMessageStatements({ hasKeys }: { readonly hasKeys: boolean }) {
  const suffix = hasKeys ? '-with-keys' : '';
  const keyAfter = (parameters: number): number | null => (hasKeys ? parameters + 1 : null);
  const attentive = { channelId: '$15', topicKey: '$6', attentiveIds: '$16' };
  const attentiveCalling = { channelId: '$19', topicKey: '$6', attentiveIds: '$20' };
  const callingRecipients = selectRecipientsWithMentionsSql(attentiveCalling, isMentionedSubscriberSql, '$15::int[]');
  return {
    channel: {
      plain: {
        name: `insert-channel-message${suffix}`,
        text: insertWithoutMentionsSql('channel', selectChannelMessageRecipientsSql(attentive), keyAfter(16)),
      },
      calling: {
        name: `insert-calling-channel-message${suffix}`,
        text: insertWithMentionsSql('channel', callingRecipients, keyAfter(20)),
      },
    },
    direct: {
      plain: {
        name: `insert-direct-message${suffix}`,
        text: insertWithoutMentionsSql('direct', mentionedUsersSql('$15'), keyAfter(15)),
      },
      calling: {
        name: `insert-calling-direct-message${suffix}`,
        text: insertWithMentionsSql('direct', mentionedUsersSql('$19'), keyAfter(19)),
      },
    },
  } as const;
}

const insertMessageStatements = getInsertMessageStatements({ hasKeys: false });
const insertMessageStatementsWithKeys = getInsertMessageStatements({ hasKeys: true });
