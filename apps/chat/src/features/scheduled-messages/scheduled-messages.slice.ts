import type { CredentialInvalidationNotifier } from '@switchboard/auth';
import { defineFeatureModule } from '../../events/define-feature-slice.js';
import {
  openScheduledMessageWorker,
  type ScheduledMessageWorkerRuntimeObjects,
} from './delivery/open-scheduled-message-worker.js';
import { RemindersService } from './reminders.action.js';
import { RemindersController } from './reminders.controller.js';
import { ScheduleWelcomeMessage } from './schedule-welcome-message.js';
import { ScheduledMessagesService } from './scheduled-messages.action.js';
import { ScheduledMessagesController } from './scheduled-messages.controller.js';
import { scheduledMessageEvents } from './scheduled-messages.events.js';
import { scheduledMessageSnapshotParts } from './scheduled-messages.snapshot.js';
import { scheduledMessageEnvironmentVariables } from './settings.js';
import { WakeScheduledMessageWorkers } from './wake-scheduled-message-worker.js';

/**
 * Feature module (slice) of scheduled messages and reminders. The module declares endpoints, events, snapshot parts
 * (fields of the `POST /register` response) and the delivery worker.
 */
export const scheduledMessagesFeatureModule = defineFeatureModule('scheduled-messages', {
  controllers: [ScheduledMessagesController, RemindersController],
  providers: ({
    invalidations,
  }: ScheduledMessageWorkerRuntimeObjects & { readonly invalidations: CredentialInvalidationNotifier }) => [
    ScheduledMessagesService,
    RemindersService,
    ScheduleWelcomeMessage,
    { provide: WakeScheduledMessageWorkers, useValue: new WakeScheduledMessageWorkers(invalidations) },
  ],
  events: scheduledMessageEvents,
  snapshotParts: scheduledMessageSnapshotParts,
  worker: openScheduledMessageWorker,
  configuration: scheduledMessageEnvironmentVariables,
});
