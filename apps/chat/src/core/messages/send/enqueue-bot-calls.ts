import type { Tx } from '@switchboard/database';
import { defineOutboxMessage, type Outbox, transactionHandle } from '@switchboard/queue';
import { z } from 'zod';
import { userRoleNumbers } from '../../../infra/http/chat-actor.js';
import { messageRecordSchema } from '../wire/message-record-schema.js';
import { toMessageRecord, type SentMessage } from './emit-new-message-event.js';

const botCallSchema = z.strictObject({
  botId: z.int(),
  trigger: z.enum(['mention', 'direct_message']),
  message: messageRecordSchema.meta({ description: 'As it was sent: later edits do not reach the service.' }),
});

/** Payload of a request to the web service of an outgoing webhook bot. */
export type BotServiceRequest = z.infer<typeof botCallSchema>;

/** Type of the outbox messages that trigger requests to the web services of outgoing webhook bots. */
export const botServiceRequestOutboxMessage = defineOutboxMessage({
  name: 'chat.bot-call',
  version: 1,
  payload: botCallSchema,
});

/**
 * Enqueues a request to the service of each outgoing webhook bot that a channel message mentions, or that receives a
 * direct message. Messages from bots trigger no requests, so that two bots cannot reply to each other endlessly.
 * Executes no SQL statement for messages without mentions or bot recipients.
 */
export async function enqueueBotCalls(
  tx: Tx,
  outbox: Pick<Outbox, 'add'>,
  sent: SentMessage,
  mentionedIds: readonly number[],
): Promise<void> {
  const { sender, channel, participants, isPublic } = sent.conversation;
  if (sender.isBot) return;
  const called = channel === null ? participants.filter(({ isBot }) => isBot).map(({ id }) => id) : mentionedIds;
  if (called.length === 0) return;
  const botIds = await listOutgoingWebhookBots(tx, called, channel && { id: channel.id, isPublic });
  if (botIds.length === 0) return;
  const trigger = channel === null ? 'direct_message' : 'mention';
  const message = toMessageRecord(sent);
  for (const botId of botIds)
    outbox.add(transactionHandle(tx), botServiceRequestOutboxMessage, { botId, trigger, message });
}

/**
 * Returns the outgoing webhook bots among the given accounts. For a private channel, returns only bots that subscribe
 * to it or whose owner subscribes.
 */
async function listOutgoingWebhookBots(
  tx: Tx,
  ids: readonly number[],
  channel: { readonly id: number; readonly isPublic: boolean } | null,
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT u.id FROM users u JOIN bot_services service ON service.user_id = u.id
     WHERE u.id = ANY($1) AND u.bot_type = 3 AND u.is_active AND ($2::int IS NULL OR ($3 AND u.role <> ${userRoleNumbers.guest})
       OR EXISTS (SELECT 1 FROM subscriptions s
         WHERE s.channel_id = $2 AND s.is_active AND s.user_id IN (u.id, u.bot_owner_id)))
     ORDER BY u.id`,
    [ids, channel?.id ?? null, channel?.isPublic ?? false],
  );
  return rows.map(({ id }) => id);
}
