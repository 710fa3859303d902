import type { Tx } from '@switchboard/database';
import { channelReadable } from '../../access/channel-access.js';
import { historicalFlags, type PeopleByFlags } from '../messages/index.js';

/** Messages of one conversation. */
export interface MessagesOfConversation {
  readonly messageIds: readonly number[];
  /** The one whose flags are asked for; the first unless told. */
  readonly flagsOf?: number;
  /** Null for direct messages. */
  readonly channelId: number | null;
  /**
   * True if the channel shares its history and the messages are too many to read the rows of all recipients: each user
   * who ever subscribed stands for them.
   */
  readonly areMany?: boolean;
}

const readable = channelReadable({ actor: 'u.id', isGuest: '(u.role = 600)' });

/**
 * Who has to learn of a change to messages (chat-contract 3.4): everybody who received one of them, and where history
 * is shared every subscriber; of them those who may still read the conversation. One statement. The channel has to be
 * held before (`lockChannels`), or a subscriber may be missing.
 *
 * @returns the people by their flags on one of the messages
 */
export async function listMessageReaders(tx: Tx, messages: MessagesOfConversation): Promise<PeopleByFlags> {
  const flagsOf = messages.flagsOf ?? messages.messageIds[0] ?? 0;
  const areMany = messages.areMany ?? false;
  const { rows } = await tx.query<{ flags: number; user_ids: number[] }>(readersSql, [
    areMany ? [flagsOf] : messages.messageIds,
    flagsOf,
    messages.channelId,
    areMany,
  ]);
  return rows.map(({ flags, user_ids: userIds }) => [flags, userIds]);
}

/** The people of a {@link PeopleByFlags}, ascending. */
export function everybodyOf(people: PeopleByFlags): number[] {
  return people.flatMap(([, userIds]) => userIds).toSorted((a, b) => a - b);
}

const readersSql = `
  WITH person AS (
    SELECT um.user_id, max(um.flags) FILTER (WHERE um.message_id = $2) AS flags
    FROM user_messages um WHERE um.message_id = ANY($1::bigint[]) AND um.flags >= 0 GROUP BY um.user_id
    UNION ALL
    SELECT s.user_id, NULL FROM subscriptions s JOIN channels c ON c.id = s.channel_id
    WHERE s.channel_id = $3 AND (s.is_active OR $4) AND (NOT c.is_private OR c.history_public_to_subscribers)
  ), reader AS (
    SELECT user_id, coalesce(max(flags), ${historicalFlags}) AS flags FROM person GROUP BY user_id
  )
  SELECT reader.flags, array_agg(reader.user_id ORDER BY reader.user_id) AS user_ids
  FROM reader JOIN users u ON u.id = reader.user_id
  LEFT JOIN channels c ON c.id = $3
  LEFT JOIN subscriptions s ON s.channel_id = $3 AND s.user_id = u.id AND s.is_active
  WHERE u.is_active AND (c.id IS NULL OR ${readable})
  GROUP BY reader.flags`;
