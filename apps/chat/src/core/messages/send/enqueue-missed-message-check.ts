import type { Tx } from '@switchboard/database';
import { defineOutboxMessage, type Outbox, transactionHandle } from '@switchboard/queue';
import { z } from 'zod';
import type { MessageConversationTarget } from './message-conversation.js';
import type { InsertedMessage } from './inserted-message-row.js';
import { mentionMessageFlagBits } from '../wire/message-flag-bits.js';

/**
 * Type of the outbox messages that trigger emails about missed messages. The recipients of the emails are determined
 * after the commit.
 */
export const missedMessageCheckOutboxMessage = defineOutboxMessage({
  name: 'chat.missed-message',
  version: 1,
  payload: z.strictObject({
    messageId: z.int(),
    userIds: z.array(z.int()).optional().meta({ description: 'Of its receivers these alone' }),
  }),
});

/**
 * Enqueues a missed-message check in the transaction of a message, without a separate SQL statement. Skips a channel
 * message without mentions if no user wants emails about its channel or topic.
 */
export function enqueueMissedMessageCheck(
  tx: Tx,
  outbox: Pick<Outbox, 'add'>,
  { channel, participants, sender }: MessageConversationTarget,
  inserted: InsertedMessage,
): void {
  const isAwaited =
    channel === null
      ? participants.some(({ id, isBot }) => id !== sender.id && !isBot)
      : inserted.isAwaited || inserted.receivers.some(([flags]) => (flags & mentionMessageFlagBits) !== 0);
  if (isAwaited) outbox.add(transactionHandle(tx), missedMessageCheckOutboxMessage, { messageId: inserted.id });
}
