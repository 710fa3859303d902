export { messageAccessFeatureModule } from './message-access.slice.js';
export { lockMessage, createInvalidMessagesError, type LockedMessage } from './lock-message.repository.js';
export { MessageReaders, type MessageReadersWithSameFlags, hasSharedHistory } from './message-readers.js';
export { AdaptiveMessageBatchSize, type MessageBatchSize, maxMessageBatchSize } from './adaptive-message-batch-size.js';
export {
  type MessageBatchBounds,
  type LockedBatchMessage,
  type MessageBatchSelectionSql,
  findMessageBatch,
  lockMessageBatch,
  type LockedMessageBatch,
} from './lock-message-batch.js';
export { readFirstMessages, emitChangedFirstMessages } from './first-messages-of-channels.js';
