import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../access/actor.js';
import {
  channelDestinationSql,
  channelDestinationValues,
  type ChannelDestination,
  type ChannelRow,
  toDestination,
} from './channel-destination.repository.js';
import type { ChannelReference } from './destination.js';
import {
  insertedColumns,
  type InsertedMessage,
  type InsertedRow,
  type MessageText,
  returnedColumns,
  textColumns,
  textValues,
  toInserted,
} from './insert-message.repository.js';

/**
 * Looks at a channel and writes a message there with the same statement, which saves most messages a round trip. The
 * message must call upon nobody.
 *
 * @param senderFlags the flags of the sender's own row
 * @returns null, and nothing is written, where anything stands against it: the caller goes step by step then, and says
 *   what it was or does what it takes
 */
export async function sendToOpenChannel(
  tx: Tx,
  actor: ChatActor,
  reference: ChannelReference,
  message: MessageText,
  senderFlags: number,
): Promise<{ destination: ChannelDestination; inserted: InsertedMessage } | null> {
  const { rows } = await tx.query<{ sent: ChannelRow & InsertedRow }>({ name: 'send-to-open-channel', text: sendSql }, [
    ...channelDestinationValues(actor, reference),
    ...textValues(message),
    senderFlags,
  ]);
  const [row] = rows;
  return row === undefined ? null : { destination: toDestination(row.sent), inserted: toInserted(row.sent) };
}

// One column: the description of twenty, read anew with every answer, costs more than their JSON.
const sendSql = `
  WITH destination AS MATERIALIZED (${channelDestinationSql}), channel AS (
    SELECT * FROM destination
    WHERE (SELECT count(*) FROM destination) = 1
      AND (readable OR belongs) AND (belongs OR NOT is_private) AND NOT is_archived AND may_send AND may_create_topics
      AND (topics_policy = 'allow_empty_topic' OR topics_policy = 'disable_empty_topic' AND $7 <> '')
  ), message AS (
    INSERT INTO messages (realm_id, sender_id, recipient_id, ${textColumns})
    SELECT $3, $1, recipient_id, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15 FROM channel
    RETURNING ${returnedColumns}
  ), receiver AS (
    INSERT INTO user_messages (user_id, message_id, flags)
    SELECT s.user_id, message.id, CASE WHEN s.user_id = $1 THEN $16::int ELSE 0 END
    FROM message, channel JOIN subscriptions s ON s.channel_id = channel.id JOIN users u ON u.id = s.user_id
    WHERE s.is_active AND u.is_active
    RETURNING user_id, flags
  )
  SELECT row_to_json(sent) AS sent FROM (SELECT channel.*, ${insertedColumns} FROM channel, message) sent`;
