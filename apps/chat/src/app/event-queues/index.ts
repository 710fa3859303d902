export { EventQueuesController } from './event-queues.controller.js';
export { PollEvents } from './poll-events.query.js';
export { RegisterQueue } from './register-queue.action.js';
