import {
  messageFlagBits,
  mentionMessageFlagBits,
  shownHistorySql,
  shownMoveTimeSql,
  shownTopicSql,
} from '../../../core/messages/index.js';
import { omittedMessageRowsSql } from '../../../core/soft-deactivation/index.js';
import type { SqlQueryRunner } from '../../../infra/sql-reader.js';
import { createUnixSecondsSql } from '../tables/export-sql-expressions.js';

/**
 * Values that select the exportable messages: the SQL parameters `$1` (realm id), `$2` (ids of consenting accounts) and
 * `$3` (true for public data only).
 */
export interface ExportableMessageFilter {
  readonly realmId: number;
  readonly consentingIds: readonly number[];
  readonly isPublic: boolean;
}

/**
 * SQL condition that the recipient row of the message `m` is missing for a consenting user, because the user was
 * soft-deactivated. The first part is evaluated once per statement. The slow second part therefore runs only for
 * channels of soft-deactivated users.
 */
const isExportedMessageOmittedSql = `r.id IN (
    SELECT begun.recipient_id FROM subscription_changes begun JOIN soft_deactivations away ON away.user_id = begun.user_id
    WHERE away.user_id = ANY($2::int[]))
  AND EXISTS (SELECT FROM (${omittedMessageRowsSql('ARRAY[m.id]')}) omitted WHERE omitted.user_id = ANY($2::int[]))`;

/**
 * SQL condition that the message `m` of the recipient `r` and the channel `c` may be exported. Messages of public
 * channels may always be exported. Other messages may be exported if a consenting user has access. Such a user
 * subscribes to a channel with shared history, is a recipient, or takes part in the conversation.
 */
const isMessageExportableSql = `m.realm_id = $1 AND (
  (c.id IS NOT NULL AND NOT c.is_private)
  OR NOT $3 AND CASE
    WHEN c.id IS NULL THEN r.participant_ids && $2::int[]
    ELSE c.history_public_to_subscribers AND EXISTS (
        SELECT FROM subscriptions s WHERE s.channel_id = c.id AND s.is_active AND s.user_id = ANY($2::int[]))
      OR EXISTS (
        SELECT FROM user_messages um
        WHERE um.message_id = m.id AND um.flags >= 0 AND um.user_id = ANY($2::int[]))
      OR ${isExportedMessageOmittedSql}
    END)`;

const exportedMessageJoinsSql =
  'JOIN recipients r ON r.id = m.recipient_id LEFT JOIN channels c ON c.id = r.channel_id';

/** Returns the values of the parameters `$1` to `$3` of {@link isMessageExportableSql}. */
const getMessageFilterParameters = ({ realmId, consentingIds, isPublic }: ExportableMessageFilter): unknown[] => [
  realmId,
  consentingIds,
  isPublic,
];

/** Id of an exportable message, with the size of the message's texts in bytes. */
export interface ExportableMessageWithSize {
  readonly id: number;
  readonly bytes: number;
  readonly isDirect: boolean;
}

/**
 * Result of one search for exportable messages: the exportable messages among the examined messages, and the last
 * examined id.
 */
export interface ExportableMessagesSearchResult {
  readonly messages: readonly ExportableMessageWithSize[];
  /** Id of the last examined message; null if no message was left to examine. */
  readonly lastId: number | null;
}

/** Returns the exportable messages among the next `limit` messages with ids above `afterId`. */
export async function findExportableMessages(
  tx: SqlQueryRunner,
  filter: ExportableMessageFilter,
  { afterId, lastId, limit }: { readonly afterId: number; readonly lastId: number; readonly limit: number },
): Promise<ExportableMessagesSearchResult> {
  const { rows } = await tx.query<{ messages: [number, number, boolean][] | null; last_id: number | null }>(
    `WITH next AS MATERIALIZED (
       SELECT id, realm_id, recipient_id, edit_history FROM messages WHERE id > $4::bigint AND id <= $5::bigint
       ORDER BY id LIMIT $6)
     SELECT (SELECT json_agg(json_build_array(m.id, octet_length(x.content) + octet_length(x.rendered_content)
           + coalesce(pg_column_size(m.edit_history) * 4, 0), c.id IS NULL) ORDER BY m.id)
         FROM next m ${exportedMessageJoinsSql} JOIN message_texts x ON x.message_id = m.id WHERE ${isMessageExportableSql}) AS messages,
       (SELECT max(id) FROM next) AS last_id`,
    [...getMessageFilterParameters(filter), afterId, lastId, limit],
  );
  const messages = (rows[0]?.messages ?? []).map(([id, bytes, isDirect]) => ({ id, bytes, isDirect }));
  return { messages, lastId: rows[0]?.last_id ?? null };
}

/** JSON rows of exported messages, separated by commas, with the ids of the messages and of their client programs. */
export interface ExportedMessageRows {
  readonly text: string | null;
  readonly ids: readonly number[];
  readonly clientIds: readonly number[];
}

/**
 * SQL expression for the edit history of a message without null user ids, which Zulip's importer rejects. Earlier
 * versions stored null ids. The id of the sender, the most probable editor, replaces a null id.
 */
const exportedEditHistorySql = `(
  SELECT jsonb_agg(CASE WHEN edit.entry -> 'user_id' = 'null' THEN edit.entry || jsonb_build_object('user_id', m.sender_id)
    ELSE edit.entry END ORDER BY edit.place)::text
  FROM jsonb_array_elements(${shownHistorySql('m')}) WITH ORDINALITY AS edit(entry, place))`;

const exportedMessageRowSql = `json_build_object(
  'id', m.id, 'sender', m.sender_id, 'realm', m.realm_id, 'type', 1, 'is_channel_message', c.id IS NOT NULL,
  'recipient', CASE WHEN c.id IS NULL AND cardinality(r.participant_ids) <= 2
    THEN 2 * coalesce((SELECT p FROM unnest(r.participant_ids) p WHERE p <> m.sender_id LIMIT 1), m.sender_id) + 1
    ELSE 2 * r.id END,
  'subject', CASE WHEN c.id IS NULL THEN '' ELSE ${shownTopicSql} END,
  'content', x.content, 'rendered_content', x.rendered_content, 'rendered_content_version', x.rendered_version,
  'date_sent', ${createUnixSecondsSql('m.date_sent')},
  'last_edit_time', ${createUnixSecondsSql(`greatest(m.last_edit_at, ${shownMoveTimeSql('m')})`)},
  'edit_history', ${exportedEditHistorySql}, 'sending_client', m.client_id,
  'has_attachment', m.has_attachment, 'has_image', m.has_image, 'has_link', m.has_link)`;

/**
 * Reads the given messages in the format of Zulip's table `zerver_message`, except messages that may no longer be
 * exported. Also returns the ids of the read messages and of the sending client programs.
 */
export async function readExportedMessageRows(
  tx: SqlQueryRunner,
  filter: ExportableMessageFilter,
  ids: readonly number[],
): Promise<ExportedMessageRows> {
  const { rows } = await tx.query<{ text: string | null; ids: number[] | null; client_ids: number[] | null }>(
    `SELECT string_agg(${exportedMessageRowSql}::text, ',' ORDER BY m.id) AS text, json_agg(m.id ORDER BY m.id) AS ids,
       json_agg(DISTINCT m.client_id) AS client_ids
     FROM messages m ${exportedMessageJoinsSql} LEFT JOIN topics mt ON mt.id = m.topic_id
       JOIN message_texts x ON x.message_id = m.id
     WHERE m.id = ANY($4::bigint[]) AND ${isMessageExportableSql}`,
    [...getMessageFilterParameters(filter), ids],
  );
  const [row] = rows;
  return { text: row?.text ?? null, ids: row?.ids ?? [], clientIds: row?.client_ids ?? [] };
}

/** Returns a map from the ids of the given messages to the number of stored recipient rows. */
export async function countRecipientRows(
  tx: SqlQueryRunner,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await tx.query<{ message_id: number; count: number }>(
    `SELECT message_id, count(*)::int AS count FROM user_messages WHERE message_id = ANY($1::bigint[]) AND flags >= 0
     GROUP BY message_id`,
    [ids],
  );
  return new Map(rows.map(({ message_id: id, count }) => [id, count]));
}

/**
 * Returns the number of soft-deactivated users of a realm. Recipient rows of messages may be missing for
 * soft-deactivated users.
 */
export async function countSoftDeactivatedUsers(tx: SqlQueryRunner, realmId: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM soft_deactivations WHERE realm_id = $1',
    [realmId],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Bit mask of the message flags that are private, because a user or the user's alert words set the flags. A public
 * export omits these flags, and marks all messages as read.
 */
const privateMessageFlagBits = messageFlagBits.starred | messageFlagBits.collapsed | messageFlagBits.has_alert_word;

/** Returns SQL that converts message flags to the bit mask of the reference server (Zulip). */
const createZulipMessageFlagsSql = (flags: string): string => {
  const { has_alert_word: alert, historical, group_mentioned: group, direct } = messageFlagBits;
  const same =
    messageFlagBits.read | messageFlagBits.starred | messageFlagBits.collapsed | (mentionMessageFlagBits & ~group);
  // Without the outer parentheses the operators would be applied from left to right.
  return `(${flags} & ${same}) | ((${flags} & ${group}) >> 2) | ((${flags} & ${alert | historical}) << 3)
    | ((${flags} & ${direct}) << 2)`;
};

/**
 * Reads the recipient rows of the given messages in the format of Zulip's table `zerver_usermessage`. Returns the
 * comma-separated JSON rows and the number of rows. Includes rows that are not stored, because the recipients were
 * soft-deactivated.
 */
export async function readExportedRecipientRows(
  tx: SqlQueryRunner,
  filter: ExportableMessageFilter,
  { ids, offset }: { readonly ids: readonly number[]; readonly offset: number },
): Promise<{ text: string | null; count: number }> {
  const flags = `CASE WHEN $3 THEN um.flags & ~${privateMessageFlagBits} | ${messageFlagBits.read} ELSE um.flags END`;
  const { rows } = await tx.query<{ text: string | null; count: number }>(
    `SELECT string_agg('{"id":' || n || ',"user_profile":' || user_id || ',"message":' || message_id || ',"flags_mask":'
         || (${createZulipMessageFlagsSql('flags')}) || '}', ',' ORDER BY n) AS text, count(*)::int AS count
     FROM (
       SELECT um.user_id, um.message_id, ${flags} AS flags,
         $5::bigint + row_number() OVER (ORDER BY um.message_id, um.user_id) AS n
       FROM (
         SELECT user_id, message_id, flags FROM user_messages WHERE message_id = ANY($4::bigint[]) AND flags >= 0
         UNION ALL ${omittedMessageRowsSql('$4::bigint[]')}
       ) um JOIN users u ON u.id = um.user_id
       WHERE u.realm_id = $1 AND NOT u.is_system_bot AND ($3 OR um.user_id = ANY($2::int[]))
     ) numbered`,
    [...getMessageFilterParameters(filter), ids, offset],
  );
  return rows[0] ?? { text: null, count: 0 };
}
