import { defineSlice } from '../../events/define-slice.js';
import { EventQueuesController } from './event-queues.controller.js';
import { PollEvents } from './poll-events.query.js';
import { RegisterQueue } from './register-queue.action.js';

/** The slice of event queues: endpoints. */
export const eventQueuesSlice = defineSlice('event-queues', {
  controllers: [EventQueuesController],
  providers: [PollEvents, RegisterQueue],
});
