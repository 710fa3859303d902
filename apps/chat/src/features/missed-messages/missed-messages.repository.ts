import type { OutboxRowsDispatcher } from '@switchboard/queue';
import type { Tx } from '@switchboard/database';
import { offlineAfterSeconds } from '../presence/index.js';
import {
  mailBatchingSecondsSql,
  isRealmInSubjectSql,
  recipientsOfMessagesSql,
  isContentInMailSql,
  isMissedMailWantedSql,
} from './missed-message-mail-conditions.js';
import { shownTopicSql } from '../../core/messages/index.js';

/**
 * Returns the outbox handler that records the users who missed a message. These users want emails and were not active
 * recently. The handler runs one statement per batch, in the transaction that deletes the outbox rows.
 * @param now function that returns the current time in milliseconds since the epoch
 */
export function createMissedMessageDispatcher(
  now: () => number,
): OutboxRowsDispatcher<{ messageId: number; userIds?: number[] | undefined }> {
  return async (rows, tx) => {
    await tx.query(recordMissedMessagesSql, [JSON.stringify(rows.map(({ payload }) => payload)), new Date(now())]);
  };
}

const recordMissedMessagesSql = `
  INSERT INTO missed_messages (user_id, message_id, due_at)
  SELECT u.id, m.id, $2::timestamptz + make_interval(secs => ${mailBatchingSecondsSql})
  FROM jsonb_to_recordset($1::jsonb) AS noted("messageId" bigint, "userIds" int[])
  JOIN messages m ON m.id = noted."messageId" ${recipientsOfMessagesSql} LEFT JOIN presences p ON p.user_id = u.id
  WHERE ${isMissedMailWantedSql} AND (noted."userIds" IS NULL OR u.id = ANY(noted."userIds"))
    AND (p.last_active_at IS NULL OR p.last_active_at < $2::timestamptz - make_interval(secs => ${offlineAfterSeconds}))
  ON CONFLICT DO NOTHING`;

/** A missed message, with the data that a missed-message email shows. */
export interface MissedMessage {
  readonly userId: number;
  /** Email address of the user who missed the message. */
  readonly email: string;
  readonly recipientId: number;
  readonly topicKey: string;
  readonly topic: string;
  /** Name of the channel of the missed message; null for direct messages. */
  readonly channel: string | null;
  /** Names of the participants of the direct conversation, other than the user who missed the message. */
  readonly others: readonly string[];
  readonly sender: string;
  readonly content: string;
  readonly realm: string;
  readonly namesRealm: boolean;
  readonly showsContent: boolean;
}

/** Maximum number of due missed-message entries that one transaction selects for removal. */
const missedMessagesBatchSize = 200;

/**
 * Removes due entries of missed messages, together with all other entries of the same users and conversations, and
 * returns their messages.
 *
 * @returns null if no entry is due; otherwise the messages that an email must contain, by user and conversation
 */
export async function removeDueMissedMessages(tx: Tx, now: Date): Promise<MissedMessage[] | null> {
  const { rows: taken } = await tx.query<{ user_id: number; message_id: number }>(removeDueMissedMessagesSql, [
    now,
    missedMessagesBatchSize,
  ]);
  if (taken.length === 0) return null;
  const { rows } = await tx.query<MissedMessage>(missedMessageMailDataSql, [
    taken.map((row) => row.user_id),
    taken.map((row) => row.message_id),
  ]);
  return rows;
}

/**
 * SQL that deletes and returns due entries of missed messages. The conversation of a deleted message is null, so that
 * no other entries are deleted with the entry of a deleted message.
 */
const removeDueMissedMessagesSql = `
  WITH due AS (
    SELECT missed.user_id, missed.message_id, m.recipient_id, m.topic_id
    FROM missed_messages missed LEFT JOIN messages m ON m.id = missed.message_id
    WHERE missed.due_at <= $1 ORDER BY missed.due_at LIMIT $2
  ), alike AS (
    SELECT user_id, message_id FROM due
    UNION
    SELECT missed.user_id, missed.message_id
    FROM (SELECT DISTINCT user_id, recipient_id, topic_id FROM due) conversation
    JOIN missed_messages missed ON missed.user_id = conversation.user_id
    JOIN messages m ON m.id = missed.message_id
      AND m.recipient_id = conversation.recipient_id AND m.topic_id IS NOT DISTINCT FROM conversation.topic_id
  )
  DELETE FROM missed_messages missed USING alike
  WHERE missed.user_id = alike.user_id AND missed.message_id = alike.message_id
  RETURNING missed.user_id, missed.message_id`;

const missedMessageMailDataSql = `
  SELECT u.id AS "userId", u.delivery_email AS email, m.recipient_id AS "recipientId", coalesce(mt.topic_key, '') AS "topicKey",
    ${shownTopicSql} AS topic, c.name AS channel, sender.full_name AS sender, x.content, realm.name AS realm,
    ${isRealmInSubjectSql} AS "namesRealm", ${isContentInMailSql} AS "showsContent",
    ARRAY(SELECT other.full_name FROM users other
      WHERE r.channel_id IS NULL AND other.id = ANY(r.participant_ids) AND other.id <> u.id ORDER BY other.id) AS others
  FROM unnest($1::int[], $2::bigint[]) AS taken(user_id, message_id)
  JOIN messages m ON m.id = taken.message_id ${recipientsOfMessagesSql}
  JOIN message_texts x ON x.message_id = m.id
  JOIN realms realm ON realm.id = u.realm_id
  JOIN users sender ON sender.id = m.sender_id
  LEFT JOIN channels c ON c.id = r.channel_id
  WHERE um.user_id = taken.user_id AND ${isMissedMailWantedSql}
  ORDER BY u.id, m.recipient_id, m.topic_id, m.id`;
