import { defineSlice } from '../../events/define-slice.js';
import { EventQueuesController } from './event-queues.controller.js';
import { PollEvents } from './poll-events.query.js';
import { RegisterQueue } from './register-queue.action.js';

/** Feature module (slice) of event queues: its endpoints. */
export const eventQueuesSlice = defineSlice('event-queues', {
  controllers: [EventQueuesController],
  providers: [PollEvents, RegisterQueue],
});
