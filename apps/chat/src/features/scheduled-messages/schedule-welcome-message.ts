import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { internalClientName, resolveMarkdownNames } from '../../core/messages/index.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { type MessageRenderer, defaultRealmMarkdownSettings } from '../../infra/markdown/index.js';
import { CLOCK_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { insertScheduledMessage } from './scheduled-messages.repository.js';
import { WakeScheduledMessageWorkers } from './wake-scheduled-message-worker.js';

/** Schedules messages from Welcome Bot to users. The worker for users' scheduled messages sends the messages. */
@Injectable()
export class ScheduleWelcomeMessage {
  constructor(
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    private readonly delivery: WakeScheduledMessageWorkers,
  ) {}

  /**
   * Schedules a direct message from Welcome Bot to the user. Returns false in a realm without Welcome Bot. The caller
   * must call {@link wakeDeliveryWorkers} after the commit.
   */
  async scheduleMessage(tx: Tx, user: ChatActor, content: string, delaySeconds: number): Promise<boolean> {
    const { rows } = await tx.query<{ id: number }>(
      `SELECT id FROM users WHERE realm_id = $1 AND is_system_bot AND delivery_email_key LIKE 'welcome-bot@%'`,
      [user.realmId],
    );
    const [bot] = rows;
    if (bot === undefined) return false;
    const parsed = this.renderer.parse(content, defaultRealmMarkdownSettings);
    const { html } = this.renderer.render(parsed, await resolveMarkdownNames(tx, user, parsed));
    await insertScheduledMessage(tx, bot.id, {
      type: 'private',
      toIds: [user.id],
      topic: '',
      content,
      html,
      client: internalClientName,
      deliverAt: this.clock.now() / 1000 + delaySeconds,
      readBySender: true,
    });
    return true;
  }

  /**
   * Makes the workers for scheduled messages read the time of the next due message. Must be called after the
   * transaction commits.
   */
  wakeDeliveryWorkers(): void {
    this.delivery.wakeAllWorkers();
  }
}
