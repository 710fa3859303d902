import type { Tx } from '@switchboard/database';
import { defineTopic, type Outbox, transactionHandle } from '@switchboard/queue';
import { z } from 'zod';
import type { Conversation } from './conversation.js';
import type { InsertedMessage } from './inserted-message.js';
import { callingFlags } from '../wire/message-flags.js';

/** Messages for which a user who is away may get a mail. The users are found after the commit. */
export const missedTopic = defineTopic({
  name: 'chat.missed-message',
  version: 1,
  payload: z.strictObject({
    messageId: z.int(),
    userIds: z.array(z.int()).optional().meta({ description: 'Of its receivers these alone' }),
  }),
});

/**
 * Notes in the transaction of a message that it may be missed. No statement of its own, and no row for a message that
 * calls upon nobody in a channel and topic that nobody wants mails of.
 */
export function noteMissed(
  tx: Tx,
  outbox: Pick<Outbox, 'add'>,
  { channel, participants, sender }: Conversation,
  inserted: InsertedMessage,
): void {
  const isAwaited =
    channel === null
      ? participants.some(({ id, isBot }) => id !== sender.id && !isBot)
      : inserted.isAwaited || inserted.receivers.some(([flags]) => (flags & callingFlags) !== 0);
  if (isAwaited) outbox.add(transactionHandle(tx), missedTopic, { messageId: inserted.id });
}

/** Place of a message, each part as SQL. */
interface AwaitedParts {
  readonly realm: string;
  readonly channel: string;
  readonly topicKey: string;
  readonly sender: string;
}

/**
 * Whether somebody other than the sender may want mails of all messages of a channel, a topic or all channels: SQL of a
 * boolean. Three looks into small indexes.
 */
export function awaitedIn({ realm, channel, topicKey, sender }: AwaitedParts): string {
  return `(EXISTS (SELECT 1 FROM user_topics ut WHERE ut.channel_id = ${channel} AND ut.topic_key = ${topicKey}
      AND ut.visibility_policy = 3 AND ut.user_id <> ${sender})
    OR EXISTS (SELECT 1 FROM subscriptions s WHERE s.channel_id = ${channel} AND s.email_notifications)
    OR EXISTS (SELECT 1 FROM users u WHERE u.realm_id = ${realm}
      AND u.settings @> '{"enable_stream_email_notifications": true}'))`;
}

/** {@link awaitedIn} for a statement that inserts a message as `message`; null for direct messages. */
export const awaitedSql = `(
  SELECT ${awaitedIn({
    realm: 'r.realm_id',
    channel: 'r.channel_id',
    topicKey: 'message.topic_key',
    sender: 'message.sender_id',
  })}
  FROM recipients r WHERE r.id = message.recipient_id AND r.channel_id IS NOT NULL)`;
