import type { Tx } from '@switchboard/database';
import type { CredentialOwner } from '../../../core/access/credential-owner.js';
import { postSystemBotMessage } from '../../../core/messages/index.js';
import type { ChatEventWriter } from '../../../events/chat-events.js';
import type { MessageRenderer } from '../../../infra/markdown/index.js';
import { remindersAddEvent, remindersRemoveEvent, scheduledMessagesUpdateEvent } from '../scheduled-messages.events.js';
import { type DueMessage, markScheduledMessageFailed } from './due-messages.repository.js';
import type { PreparedScheduledMessage } from './prepare-scheduled-delivery.js';

export interface MarkFailedAndNotifyDependencies {
  readonly events: ChatEventWriter;
  readonly renderer: MessageRenderer;
}

/** Failure reason of scheduled messages that are not sent, because the due time passed too long ago. */
export const messageTooLateFailureReason = 'The message could not be sent at its time.';

/**
 * Failure reason of scheduled messages that became due while the organization was deactivated. The reactivation of the
 * organization schedules a new attempt for these messages.
 */
export const realmDeactivatedFailureReason = 'This organization has been deactivated';

/** Failure reason of scheduled messages that could not be sent because of an unexpected error. */
export const unexpectedErrorFailureReason = 'Internal server error';

/**
 * Marks a scheduled message as failed, and notifies the author by an event and a message from Notification Bot.
 * Deactivated authors get no message.
 */
export async function markScheduledFailedAndNotify(
  tx: Tx,
  parts: MarkFailedAndNotifyDependencies,
  author: CredentialOwner,
  { due, realm, clientId }: PreparedScheduledMessage,
  reason: string,
): Promise<void> {
  const { events, renderer } = parts;
  const { realmId } = author;
  const audience = { users: [author.id] };
  const { message, reminder } = await markScheduledMessageFailed(tx, due.id, reason);
  if (due.type === 'reminder') {
    // Reminders have no update event (docs/contract/chat.md 3.4).
    events.write(tx, realmId, remindersRemoveEvent, { audience, payload: { reminder_id: due.id } });
    events.write(tx, realmId, remindersAddEvent, { audience, payload: { reminders: [reminder] } });
  } else {
    events.write(tx, realmId, scheduledMessagesUpdateEvent, { audience, payload: { scheduled_message: message } });
  }
  if (!author.isActive || author.realmDeactivated) return;
  const content = createDeliveryFailureText(due, reason);
  const notice = { realmId, bot: 'notification-bot', userId: author.id, content, clientId } as const;
  await postSystemBotMessage(tx, { events, renderer, realm }, notice);
}

function createDeliveryFailureText({ type, deliverAtMs }: DueMessage, reason: string): string {
  const time = `<time:${new Date(deliverAtMs).toISOString()}>`;
  if (type === 'reminder') return `Your reminder for ${time} could not be sent:\n\n> ${reason}`;
  return `Your message for ${time} was not sent:\n\n> ${reason}\n\nIt is in your [scheduled messages](#scheduled).`;
}
