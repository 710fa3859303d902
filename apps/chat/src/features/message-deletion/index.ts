export { messageDeletionSlice } from './message-deletion.slice.js';
export { deleteMessages, emitDeletion, emitDeletionToWebhooks } from './delete-messages.js';
export { groupMessagesByTopic } from './group-messages-by-topic.js';
