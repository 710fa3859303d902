import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { findReadableMessage, resolveMarkdownNames } from '../../core/messages/index.js';
import { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { parseOptionalText } from '../../infra/http/parse-text-parameters.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { MessageRenderer } from '../../infra/markdown/index.js';
import { CHAT_CONFIG_TOKEN, CLOCK_TOKEN, DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { createReminderText } from './format-reminder-text.js';
import { type addReminderParameters, maxReminderNoteLength } from './reminders.schemas.js';
import {
  rejectTooManyScheduled,
  requireFutureDeliveryTime,
  type ScheduledMessageLimits,
} from './scheduled-messages.action.js';
import { remindersAddEvent, remindersRemoveEvent } from './scheduled-messages.events.js';
import { insertReminder, listReminders, removeReminder } from './scheduled-messages.repository.js';
import { WakeScheduledMessageWorkers } from './wake-scheduled-message-worker.js';
import type { WireReminder } from './wire-scheduled-message.js';

/** Lists, adds and removes reminders about messages (docs/contract/chat.md 2.D). */
@Injectable()
export class RemindersService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: ScheduledMessageLimits,
    private readonly events: ChatEventWriter,
    private readonly contents: RealmMarkdownSettingsCache,
    private readonly delivery: WakeScheduledMessageWorkers,
  ) {}

  /** Lists the actor's reminders, ordered by due time. */
  async list(actor: ChatActor): Promise<{ reminders: WireReminder[] }> {
    return { reminders: await listReminders(this.database, actor.id) };
  }

  /**
   * Adds a reminder for the actor.
   *
   * @throws ApplicationError BAD_REQUEST for a message that the actor cannot read, a time in the past, or a note that
   * is too long
   */
  async add(
    actor: ChatActor,
    sent: DecodedParametersOfDefinition<typeof addReminderParameters>,
    client: string,
  ): Promise<{ reminder_id: number }> {
    const deliverAt = requireFutureDeliveryTime(sent.scheduled_delivery_timestamp, this.clock);
    const note = parseOptionalText('note', sent.note ?? '', maxReminderNoteLength) || null;
    const realm = await this.contents.get(actor.realmId);
    const reminder = await this.database.inTransaction(async (tx) => {
      const message = await findReadableMessage(tx, actor, sent.message_id);
      if (message === null) throw createBadRequestError('Invalid message(s)');
      const content = createReminderText(message, note);
      const parsed = this.renderer.parse(content, realm);
      const { html } = this.renderer.render(parsed, await resolveMarkdownNames(tx, actor, parsed));
      const stored = { type: 'reminder', toIds: [actor.id], topic: '', content, html, client, deliverAt } as const;
      const wire = await insertReminder(tx, actor.id, stored, { messageId: message.id, note });
      await rejectTooManyScheduled(tx, actor.id, this.config);
      const payload = { reminders: [wire] };
      this.events.write(tx, actor.realmId, remindersAddEvent, { audience: { users: [actor.id] }, payload });
      return wire;
    });
    this.delivery.wakeAllWorkers();
    return { reminder_id: reminder.reminder_id };
  }

  /**
   * Removes a reminder of the actor.
   *
   * @throws ApplicationError NOT_FOUND, also for a reminder that has already been sent
   */
  async remove(actor: ChatActor, id: number): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      if (!(await removeReminder(tx, actor.id, id))) {
        throw chatErrors.create('NOT_FOUND', { message: 'Reminder does not exist' });
      }
      const payload = { reminder_id: id };
      this.events.write(tx, actor.realmId, remindersRemoveEvent, { audience: { users: [actor.id] }, payload });
    });
  }
}
