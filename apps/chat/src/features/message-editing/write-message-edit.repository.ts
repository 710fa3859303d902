import type { Tx } from '@switchboard/database';
import { rendererVersion } from '../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import type { LockedMessage } from '../../core/message-access/index.js';
import {
  mentionMessageFlagBits,
  hasMentions,
  messageFlagBits,
  maxEditHistoryEntries,
  shownHistorySql,
  shownMoveTimeSql,
  shownTopicSql,
  topicIdSql,
} from '../../core/messages/index.js';
import { insertOmittedMessageRowsSql } from '../../core/soft-deactivation/index.js';
import type { MessageContentEdit } from './edit-message-content.js';
import type { MessageMovePlan } from './message-move-plan.js';

/**
 * Updates the content of an edited message. The edit history is not changed.
 *
 * @param at Milliseconds since the epoch.
 */
export async function writeMessageContent(
  tx: Tx,
  id: number,
  { change, rendered }: MessageContentEdit,
  at: number,
): Promise<void> {
  await tx.query(
    `WITH message_text AS (
       UPDATE message_texts SET content = $2, rendered_content = $3, rendered_version = $4 WHERE message_id = $1
     )
     UPDATE messages SET is_me_message = $5, has_link = $6, has_attachment = $7, has_image = $8, last_edit_at = $9
     WHERE id = $1`,
    [
      id,
      change.content,
      change.rendered,
      rendererVersion,
      change.isMeMessage,
      rendered.hasLink,
      rendered.hasAttachment,
      rendered.hasImage,
      new Date(at),
    ],
  );
}

/** An edit or move of messages that will be written, with the editing user and the time. */
export interface MessageEditToWrite {
  readonly editorId: number;
  /** Time of the edit or move, in milliseconds since the epoch. */
  readonly at: number;
  readonly content: MessageContentEdit | null;
  readonly move: MessageMovePlan | null;
}

/** An edit that moves messages to another channel or topic, as it is written. */
export type MessageMoveEdit = MessageEditToWrite & { readonly move: MessageMovePlan };

/**
 * Moves messages, or edits the content of one message. Adds an entry with the replaced values to the edit history of
 * each changed message. Executes one SQL statement.
 */
export async function writeMessageEdit(
  tx: Tx,
  message: Pick<LockedMessage, 'id'>,
  edit: MessageEditToWrite,
): Promise<void> {
  const { content, move } = edit;
  const entry = { user_id: edit.editorId, timestamp: Math.floor(edit.at / 1000) };
  const replaced = content && {
    prev_content: content.change.before,
    prev_rendered_content: content.change.renderedBefore,
  };
  if (move === null) {
    await tx.query(writeMessageContentSql, [message.id, JSON.stringify({ ...entry, ...replaced })]);
    return;
  }
  const channels = move.changesChannel ? { prev_stream: move.source.id, stream: move.destination.channel.id } : {};
  await tx.query(writeMessageMoveSql, [
    move.messageIds,
    move.destination.recipientId,
    normalizeTextForComparison(move.topic),
    move.topic,
    move.changesTopic,
    JSON.stringify({ ...entry, ...channels }),
    message.id,
    JSON.stringify(replaced ?? {}),
    move.resolution === null ? new Date(edit.at) : null,
  ]);
}

/**
 * Returns an SQL expression that adds an entry to the edit history of a message. The resulting history includes all
 * previous renamings of the topic `mt`.
 */
const createExtendedEditHistorySql = (entry: string): string =>
  `jsonb_path_query_array(jsonb_build_array(${entry}) || coalesce(${shownHistorySql('m')}, '[]'), '$[0 to ${maxEditHistoryEntries - 1}]')`;

const writeMessageContentSql = `
  UPDATE messages m SET
    edit_history = ${createExtendedEditHistorySql('$2::jsonb')},
    last_moved_at = ${shownMoveTimeSql('m')},
    topic = CASE WHEN mt.last_renaming_id > m.topic_since THEN NULL ELSE m.topic END,
    topic_since = coalesce(mt.last_renaming_id, 0)
  FROM (SELECT) one LEFT JOIN topics mt ON mt.id = (SELECT topic_id FROM messages WHERE id = $1)
  WHERE m.id = $1`;

const writeMessageMoveSql = `
  WITH target AS MATERIALIZED (SELECT * FROM topic_of($2, $3, $4)), touched AS (
    UPDATE topics SET membership_version = membership_version + 1 WHERE id = ANY (ARRAY(
      SELECT topic_id FROM messages WHERE id = ANY($1::bigint[]) UNION SELECT topic_id FROM target))
  )
  UPDATE messages m SET
    recipient_id = $2,
    topic_id = target.topic_id,
    topic_since = target.topic_since,
    topic = nullif(CASE WHEN $5 THEN $4 ELSE ${shownTopicSql} END, target.topic_name),
    last_moved_at = coalesce($9, ${shownMoveTimeSql('m')}),
    edit_history = ${createExtendedEditHistorySql(`
      $6::jsonb || CASE WHEN m.id = $7 THEN $8::jsonb ELSE '{}' END
      || CASE WHEN $5 THEN jsonb_build_object('prev_topic', ${shownTopicSql}, 'topic', $4) ELSE '{}' END`)}
  FROM target, topics mt
  WHERE m.id = ANY($1::bigint[]) AND mt.id = m.topic_id`;

/**
 * Bit mask of the message flags that depend on the content of a message: flags for mentions of all kinds, and for alert
 * words.
 */
const contentDependentFlagBits =
  messageFlagBits.has_alert_word |
  messageFlagBits.mentioned |
  messageFlagBits.group_mentioned |
  messageFlagBits.stream_wildcard_mentioned |
  messageFlagBits.topic_wildcard_mentioned;

/**
 * Updates the mention and alert-word flags of an edited message, in one statement.
 *
 * @returns ids of the users whom the edit newly mentions
 */
export async function updateMentionFlags(
  tx: Tx,
  message: LockedMessage,
  { rendered }: MessageContentEdit,
  alertedIds: readonly number[],
): Promise<number[]> {
  const values = [
    message.id,
    rendered.userIds,
    rendered.groupIds,
    rendered.channelWildcard ? messageFlagBits.stream_wildcard_mentioned : 0,
    rendered.topicWildcard ? messageFlagBits.topic_wildcard_mentioned : 0,
    message.recipientId,
    message.topicKey,
    alertedIds,
  ];
  if (message.channel !== null && (hasMentions({ ...rendered, readBySender: false }) || alertedIds.length > 0)) {
    await tx.query(insertMissingMentionRowsSql, values);
  }
  const { rows } = await tx.query<{ user_id: number; is_newly_called: boolean }>(updateMentionFlagsSql, values);
  return rows.filter(({ is_newly_called: isCalled }) => isCalled).map(({ user_id: userId }) => userId);
}

const mentionedUsersSql = `
  WITH RECURSIVE called_group(id) AS (
    SELECT unnest($3::int[])
    UNION
    SELECT sg.subgroup_id FROM user_group_subgroups sg JOIN called_group g ON sg.group_id = g.id
  ), called AS (
    SELECT DISTINCT gm.user_id FROM user_group_members gm JOIN called_group g ON gm.group_id = g.id
  ), participant AS (
    SELECT DISTINCT sender_id AS user_id FROM messages WHERE $5::int <> 0 AND topic_id = ${topicIdSql('$6', '$7')}
  )`;

/**
 * SQL that inserts `user_messages` rows of soft-deactivated recipients who get a flag by the new content. The rows were
 * omitted when the message was sent.
 */
const insertMissingMentionRowsSql = `${mentionedUsersSql} ${insertOmittedMessageRowsSql(
  'ARRAY[$1::bigint]',
  `($4::int <> 0 OR missing.user_id = ANY($2::int[]) OR missing.user_id = ANY($8::int[]) OR missing.user_id IN (
    SELECT user_id FROM called UNION ALL SELECT user_id FROM participant))`,
)}`;

/**
 * SQL that updates the flags for mentions in an edited message. The statement locks the `user_messages` rows of all
 * recipients, because the edit event contains the flags of each recipient.
 */
const updateMentionFlagsSql = `${mentionedUsersSql}, held AS (
    SELECT user_id, flags FROM user_messages WHERE message_id = $1 AND flags >= 0 ORDER BY user_id FOR UPDATE
  ), wanted AS (
    SELECT user_id, flags, (flags & ~${contentDependentFlagBits})
      | CASE WHEN user_id = ANY($2::int[]) THEN ${messageFlagBits.mentioned} ELSE 0 END
      | CASE WHEN user_id IN (SELECT user_id FROM called) THEN ${messageFlagBits.group_mentioned} ELSE 0 END
      | CASE WHEN user_id = ANY($8::int[]) THEN ${messageFlagBits.has_alert_word} ELSE 0 END
      | $4::int
      | CASE WHEN user_id IN (SELECT user_id FROM participant) THEN $5::int ELSE 0 END AS new_flags
    FROM held
  )
  UPDATE user_messages um SET flags = wanted.new_flags FROM wanted
  WHERE um.message_id = $1 AND um.user_id = wanted.user_id AND wanted.new_flags <> wanted.flags
  RETURNING um.user_id,
    wanted.new_flags & ${mentionMessageFlagBits} <> 0 AND wanted.flags & ${mentionMessageFlagBits} = 0 AS is_newly_called`;
