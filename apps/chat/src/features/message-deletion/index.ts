export { messageDeletionFeatureModule } from './message-deletion.slice.js';
export { deleteMessages, emitMessageDeletion, emitDeletionToWebhooks } from './delete-messages.js';
export { groupMessagesByTopic } from './group-messages-by-topic.js';
