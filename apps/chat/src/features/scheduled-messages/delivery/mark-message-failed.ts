import type { Tx } from '@switchboard/database';
import type { CredentialOwner } from '../../../core/access/credential-owner.js';
import { postSystemBotMessage } from '../../../core/messages/index.js';
import type { ChatEvents } from '../../../events/chat-events.js';
import type { MessageRenderer } from '../../../infra/markdown/index.js';
import { remindersAddEvent, remindersRemoveEvent, scheduledMessagesUpdateEvent } from '../scheduled-messages.events.js';
import { type DueMessage, markScheduledFailed } from './due-messages.repository.js';
import type { PreparedDelivery } from './prepare-scheduled-delivery.js';

/** Dependencies of {@link markMessageFailed}. */
export interface FailureDependencies {
  readonly events: ChatEvents;
  readonly renderer: MessageRenderer;
}

/** Failure reason of scheduled messages that are not sent, because the due time passed too long ago. */
export const messageTooLateText = 'The message could not be sent at its time.';

/** Failure reason of scheduled messages that could not be sent because of an unexpected error. */
export const deliveryUnexpectedErrorText = 'Internal server error';

/**
 * Marks a scheduled message as failed, and notifies the author by an event and a message from Notification Bot.
 * Deactivated authors get no message.
 */
export async function markMessageFailed(
  tx: Tx,
  parts: FailureDependencies,
  author: CredentialOwner,
  { due, realm, clientId }: PreparedDelivery,
  reason: string,
): Promise<void> {
  const { events, renderer } = parts;
  const { realmId } = author;
  const audience = { users: [author.id] };
  const { message, reminder } = await markScheduledFailed(tx, due.id, reason);
  if (due.type === 'reminder') {
    // Reminders have no update event (docs/contract/chat.md 3.4).
    events.write(tx, realmId, remindersRemoveEvent, { audience, payload: { reminder_id: due.id } });
    events.write(tx, realmId, remindersAddEvent, { audience, payload: { reminders: [reminder] } });
  } else {
    events.write(tx, realmId, scheduledMessagesUpdateEvent, { audience, payload: { scheduled_message: message } });
  }
  if (!author.isActive || author.realmDeactivated) return;
  const content = createFailureText(due, reason);
  const notice = { realmId, bot: 'notification-bot', userId: author.id, content, clientId } as const;
  await postSystemBotMessage(tx, { events, renderer, realm }, notice);
}

function createFailureText({ type, deliverAtMs }: DueMessage, reason: string): string {
  const time = `<time:${new Date(deliverAtMs).toISOString()}>`;
  if (type === 'reminder') return `Your reminder for ${time} could not be sent:\n\n> ${reason}`;
  return `Your message for ${time} was not sent:\n\n> ${reason}\n\nIt is in your [scheduled messages](#scheduled).`;
}
