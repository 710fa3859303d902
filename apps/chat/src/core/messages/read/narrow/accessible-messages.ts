import { type ChatActor, isGuest } from '../../../../infra/http/chat-actor.js';
import { isChannelReadableSql } from '../../../access/channel-access.js';
import { historicalMessageFlagBits } from '../../wire/message-flag-bits.js';
import type { NumberedSqlParameters } from './numbered-sql-parameters.js';
import { topicJoinSql } from '../../topics/topic-row-sql.js';

/** SQL clauses that select the messages that match a narrow (filter), as far as the reader can access them. */
export interface NarrowedMessagesSql {
  /**
   * SQL FROM clause of the messages. The clause defines the tables `m` (messages), `r` (recipients), `c` (channels) and
   * `s` (subscriptions), and the topic `mt`.
   */
  readonly from: string;
  /** SQL conditions of the narrow (filter), including the reader's access to the messages. */
  readonly where: string;
  /**
   * SQL expression of the message id by which the rows are ordered. The id is the last key of the index that PostgreSQL
   * reads first.
   */
  readonly id: string;
  /**
   * Column that precedes the message id in the index and has the same value in all selected rows. Absent if the index
   * begins with the message id.
   */
  readonly before?: string | undefined;
  /**
   * SQL of the reader's flags on the message of a row. A message that the reader did not receive counts as read and
   * historical.
   */
  readonly flags: string;
}

/**
 * Returns SQL joins that add to `messages m` the message's recipient, channel and topic, and the reader's subscription
 * to the channel.
 */
export const conversationJoinsSql = (actorParameter: string): string => `
  JOIN recipients r ON r.id = m.recipient_id
  LEFT JOIN channels c ON c.id = r.channel_id
  LEFT JOIN subscriptions s ON s.channel_id = r.channel_id AND s.user_id = ${actorParameter} AND s.is_active
  ${topicJoinSql}`;

/**
 * Returns an SQL join with the message that has the given id. The OFFSET in the join forces one lookup per row.
 * Otherwise PostgreSQL may merge the rows with the whole messages table, beginning at the newest message.
 */
export const messageByIdJoinSql = (id: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM messages WHERE messages.id = ${id} OFFSET 0) m`;

/**
 * Returns SQL that selects the messages that a user can read. These are received messages that the user may still read,
 * and all messages of channels with readable history.
 */
export function selectAccessibleMessageClauses(
  actor: Pick<ChatActor, 'id' | 'realmId' | 'role'>,
  parameters: NumberedSqlParameters,
): NarrowedMessagesSql {
  const actorParameter = parameters.addValue(actor.id);
  return {
    ...selectAccessibleMessagesSql({
      actor: actorParameter,
      isGuest: parameters.addValue(isGuest(actor)),
      realmId: parameters.addValue(actor.realmId),
    }),
    id: 'm.id',
    flags: `coalesce(um.flags, ${historicalMessageFlagBits})`,
  };
}

/**
 * Returns SQL that selects the messages that a user can read, like {@link selectAccessibleMessageClauses}. The
 * parameters are SQL expressions of the user's id, guest status and realm.
 */
export function selectAccessibleMessagesSql(reader: {
  readonly actor: string;
  readonly isGuest: string;
  readonly realmId: string;
}): Pick<NarrowedMessagesSql, 'from' | 'where'> {
  return {
    from: `messages m ${conversationJoinsSql(reader.actor)}
      LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ${reader.actor}`,
    where: `m.realm_id = ${reader.realmId} AND CASE WHEN r.channel_id IS NULL THEN um.user_id IS NOT NULL
      ELSE ${isChannelReadableSql(reader)} AND (um.user_id IS NOT NULL OR NOT c.is_private OR c.history_public_to_subscribers) END`,
  };
}
