import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { EventQueuesController } from './event-queues.controller.js';
import { PollEvents } from './poll-events.query.js';
import { PendingRequestCredentialChecker } from './pending-request-credentials.js';
import { EventLogEntryRendererFactory } from './queue-entry-renderers.js';
import { RegisterEventQueue } from './register-queue.action.js';
import { StreamServerSentEvents } from './stream-events.query.js';

/** Feature module (slice) that provides the endpoints of event queues. */
export const eventQueuesFeatureModule = defineFeatureModule('event-queues', {
  controllers: [EventQueuesController],
  providers: [
    PendingRequestCredentialChecker,
    PollEvents,
    EventLogEntryRendererFactory,
    RegisterEventQueue,
    StreamServerSentEvents,
  ],
});
