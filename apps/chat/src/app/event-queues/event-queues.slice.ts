import { defineSlice } from '../../events/define-feature-slice.js';
import { EventQueuesController } from './event-queues.controller.js';
import { PollEvents } from './poll-events.query.js';
import { PendingRequestCredentials } from './pending-request-credentials.js';
import { QueueEntryRendererFactory } from './queue-entry-renderers.js';
import { RegisterQueue } from './register-queue.action.js';
import { StreamEvents } from './stream-events.query.js';

/** Feature module (slice) that provides the endpoints of event queues. */
export const eventQueuesSlice = defineSlice('event-queues', {
  controllers: [EventQueuesController],
  providers: [PendingRequestCredentials, PollEvents, QueueEntryRendererFactory, RegisterQueue, StreamEvents],
});
