import type { Tx } from '@switchboard/database';
import {
  messageFlagBits,
  historicalMessageFlagBits,
  lockUserMessageRowsSql,
  shownTopicSql,
  type NumberedSqlParameters,
  topicJoinSql,
} from '../../core/messages/index.js';
import type { MessageFlagChange } from './parse-flag-change.js';
import type { UnreadMessage } from './message-flags.events.js';

/**
 * SQL of the common table expressions `anchor (id)` and `picked (id)`, which select messages, and the parameters of
 * this SQL.
 */
export interface SelectedMessagesSql {
  readonly sql: string;
  readonly parameters: NumberedSqlParameters;
}

/** Result of adding a flag to messages or removing a flag. All lists of ids are in ascending order. */
export interface MessageFlagChangeResult {
  /** Id of the anchor message, which a flag change request starts from; null if no message matches the anchor. */
  readonly anchor: number | null;
  readonly pickedIds: readonly number[];
  /** Ids of the messages whose flag the request changed, in ascending order. */
  readonly changedIds: readonly number[];
  /** Data of the messages that the change marked as unread. */
  readonly unread: readonly UnreadMessage[];
  /**
   * Ids of channels to which the user does not subscribe. Messages of these channels remain read when the user marks
   * messages as unread.
   */
  readonly ignoredChannelIds: readonly number[];
}

interface MessageFlagChangeRow {
  anchor: number | null;
  picked: number[];
  changed: number[];
  unread: UnreadMessage[] | null;
  ignored: number[] | null;
}

/**
 * Changes a flag of any number of messages for one user, in one statement. Messages that the user never received are
 * added to the user's history. Marking as read ignores such messages (docs/contract/chat.md 5.6).
 */
export async function changeFlags(
  tx: Tx,
  userId: number,
  picked: SelectedMessagesSql,
  change: MessageFlagChange,
): Promise<MessageFlagChangeResult> {
  const user = picked.parameters.addValue(userId);
  const { rows } = await tx.query<MessageFlagChangeRow>(
    createFlagChangeStatement(picked.sql, user, change),
    picked.parameters.values,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An aggregate returned no row');
  return {
    anchor: row.anchor,
    pickedIds: row.picked,
    changedIds: row.changed,
    unread: row.unread ?? [],
    ignoredChannelIds: row.ignored ?? [],
  };
}

function createFlagChangeStatement(picked: string, user: string, change: MessageFlagChange): string {
  if (change.flag === 'read' && change.op === 'remove') return createMarkUnreadSql(picked, user);
  return change.op === 'add' && change.flag !== 'read'
    ? createFlagAdditionSql(picked, user, messageFlagBits[change.flag])
    : createReceivedFlagsUpdateSql(picked, user, change);
}

const flagChangeResultSql = `
  (SELECT id FROM anchor) AS anchor,
  (SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM picked) AS picked,
  (SELECT coalesce(array_agg(message_id ORDER BY message_id), '{}') FROM changed) AS changed`;

function getFlagChangeSqlParts(change: MessageFlagChange): { readonly value: string; readonly differs: string } {
  const bit = messageFlagBits[change.flag];
  return change.op === 'add'
    ? { value: `um.flags | ${bit}`, differs: `um.flags & ${bit} = 0` }
    : { value: `um.flags & ~${bit}`, differs: `um.flags & ${bit} <> 0` };
}

/** Returns SQL that selects and locks the rows of `user_messages` that belong to a user and meet a condition. */
const createOwnMessageRowsSql = (messages: string, user: string, condition: string): string => `
  SELECT um.message_id FROM ${messages} JOIN user_messages um ON um.user_id = ${user} AND um.message_id = ${messages}.id
  WHERE ${condition} ${lockUserMessageRowsSql}`;

/**
 * Returns SQL that changes a flag of messages that the user received. The update locks the `user_messages` rows in
 * ascending order of id, because `= ANY` with one id forces a nested loop join.
 */
function createReceivedFlagsUpdateSql(picked: string, user: string, change: MessageFlagChange): string {
  const { value, differs } = getFlagChangeSqlParts(change);
  return `WITH ${picked}, ordered AS MATERIALIZED (SELECT id FROM picked ORDER BY id), changed AS (
      UPDATE user_messages um SET flags = ${value} FROM ordered
      WHERE um.user_id = ${user} AND um.message_id = ANY (ARRAY[ordered.id]) AND ${differs}
      RETURNING um.message_id
    )
    SELECT ${flagChangeResultSql}, NULL AS unread, NULL AS ignored`;
}

/**
 * Returns SQL that adds messages to the history of a user. The SQL locks each message, so that concurrent transactions
 * cannot delete or move the message. Messages that were already moved to another conversation are omitted.
 */
const createMessageRowsInsertSql = (user: string, flags: number, onConflict: string): string => `
  held AS (
    SELECT m.id FROM missing JOIN messages m ON m.id = missing.id AND m.recipient_id = missing.recipient_id
    ORDER BY m.id FOR SHARE OF m
  ), added AS (
    INSERT INTO user_messages AS um (user_id, message_id, flags) SELECT ${user}, id, ${flags} FROM held
    ON CONFLICT (user_id, message_id) DO UPDATE SET flags = ${onConflict}
    RETURNING um.message_id, um.flags
  )`;

function createFlagAdditionSql(picked: string, user: string, bit: number): string {
  return `WITH ${picked}, missing AS (
      SELECT m.id, m.recipient_id FROM picked JOIN messages m ON m.id = picked.id WHERE NOT EXISTS (
        SELECT 1 FROM user_messages um WHERE um.user_id = ${user} AND um.message_id = picked.id)
    ), ${createMessageRowsInsertSql(user, historicalMessageFlagBits | bit, `um.flags | ${bit}`)},
    own AS (${createOwnMessageRowsSql('picked', user, `um.flags & ${bit} = 0`)}), updated AS (
      UPDATE user_messages um SET flags = um.flags | ${bit} FROM own
      WHERE um.user_id = ${user} AND um.message_id = own.message_id
      RETURNING um.message_id
    ), changed AS (SELECT message_id FROM added UNION ALL SELECT message_id FROM updated)
    SELECT ${flagChangeResultSql}, NULL AS unread, NULL AS ignored`;
}

/**
 * Returns SQL that marks messages as unread. Only messages that clients count as unread can be unread: direct messages,
 * and messages of channels to which the user subscribes.
 */
function createMarkUnreadSql(picked: string, user: string): string {
  return `WITH ${picked}, place AS (
      SELECT picked.id, m.recipient_id, ${shownTopicSql} AS topic, mt.topic_key, r.channel_id, r.participant_ids, s.is_muted,
        r.channel_id IS NULL OR s.user_id IS NOT NULL AS is_counted,
        EXISTS (SELECT 1 FROM user_messages um WHERE um.user_id = ${user} AND um.message_id = picked.id) AS received
      FROM picked JOIN messages m ON m.id = picked.id JOIN recipients r ON r.id = m.recipient_id ${topicJoinSql}
      LEFT JOIN subscriptions s ON s.channel_id = r.channel_id AND s.user_id = ${user} AND s.is_active
    ), missing AS (SELECT id, recipient_id FROM place WHERE is_counted AND NOT received),
    ${createMessageRowsInsertSql(user, messageFlagBits.historical, `um.flags & ~${messageFlagBits.read}`)},
    own AS (${createOwnMessageRowsSql('place', user, `place.is_counted AND um.flags & ${messageFlagBits.read} <> 0`)}), updated AS (
      UPDATE user_messages um SET flags = um.flags & ~${messageFlagBits.read} FROM own
      WHERE um.user_id = ${user} AND um.message_id = own.message_id
      RETURNING um.message_id, um.flags
    ), changed AS (SELECT message_id, flags FROM added UNION ALL SELECT message_id, flags FROM updated),
    told AS (
      SELECT place.*, changed.flags, coalesce(ut.visibility_policy = 1, place.is_muted, false) AS muted
      FROM changed JOIN place ON place.id = changed.message_id
      LEFT JOIN user_topics ut
        ON ut.user_id = ${user} AND ut.channel_id = place.channel_id AND ut.topic_key = place.topic_key
    )
    SELECT ${flagChangeResultSql}, (SELECT json_agg(json_build_object('id', id, 'muted', muted,
        'mentioned', flags & ${directMentionBits} <> 0 OR (flags & ${wildcardMentionBits} <> 0 AND NOT muted),
        'channel', CASE WHEN channel_id IS NOT NULL THEN json_build_object('id', channel_id, 'topic', topic) END,
        'userIds', ARRAY(SELECT other FROM unnest(participant_ids) AS other WHERE other <> ${user} ORDER BY other)
      ) ORDER BY id) FROM told) AS unread,
      (SELECT array_agg(DISTINCT channel_id) FROM place WHERE NOT is_counted) AS ignored`;
}

const directMentionBits = messageFlagBits.mentioned | messageFlagBits.group_mentioned;
const wildcardMentionBits = messageFlagBits.stream_wildcard_mentioned | messageFlagBits.topic_wildcard_mentioned;
