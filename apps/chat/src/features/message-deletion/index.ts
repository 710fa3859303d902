export { messageDeletionSlice } from './message-deletion.slice.js';
export { deleteMessages, emitDeletion } from './delete-messages.js';
export { groupMessagesByTopic } from './group-messages-by-topic.js';
