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
