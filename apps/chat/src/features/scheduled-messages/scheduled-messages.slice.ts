import type { CredentialInvalidations } from '@switchboard/auth';
import { defineSlice } from '../../events/define-feature-slice.js';
import { openScheduledMessageWorker, type ScheduledDeliveryRuntime } from './delivery/open-scheduled-message-worker.js';
import { RemindersService } from './reminders.action.js';
import { RemindersController } from './reminders.controller.js';
import { ScheduleWelcomeMessage } from './schedule-welcome-message.js';
import { ScheduledMessagesService } from './scheduled-messages.action.js';
import { ScheduledMessagesController } from './scheduled-messages.controller.js';
import { scheduledMessageEvents } from './scheduled-messages.events.js';
import { scheduledMessageSnapshotParts } from './scheduled-messages.snapshot.js';
import { scheduledMessagesEnv } from './settings.js';
import { WakeScheduledDelivery } from './wake-scheduled-message-worker.js';

/**
 * Feature module (slice) of scheduled messages and reminders. The module declares endpoints, events, snapshot parts
 * (fields of the `POST /register` response) and the delivery worker.
 */
export const scheduledMessagesSlice = defineSlice('scheduled-messages', {
  controllers: [ScheduledMessagesController, RemindersController],
  providers: ({ invalidations }: ScheduledDeliveryRuntime & { readonly invalidations: CredentialInvalidations }) => [
    ScheduledMessagesService,
    RemindersService,
    ScheduleWelcomeMessage,
    { provide: WakeScheduledDelivery, useValue: new WakeScheduledDelivery(invalidations) },
  ],
  events: scheduledMessageEvents,
  snapshotParts: scheduledMessageSnapshotParts,
  worker: openScheduledMessageWorker,
  configuration: scheduledMessagesEnv,
});
