export { AddSubmessage } from './add-submessage.action.js';
export { SubmessagesController } from './submessages.controller.js';
export { submessageEvents } from './submessages.events.js';
