export { messageDeletionSlice } from './message-deletion.slice.js';
export { deleteMessages, emitDeletion } from './delete-messages.js';
export { byTopic } from './by-topic.js';
