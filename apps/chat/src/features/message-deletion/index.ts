export { messageDeletionEvents } from './delete-message.events.js';
export { deleteMessages, emitDeletion } from './delete-messages.js';
export { byTopic } from './by-topic.js';
export { DeleteMessage } from './delete-message.action.js';
export { DeleteTopic } from './delete-topic.action.js';
export { MessageDeletionController } from './message-deletion.controller.js';
