export { messageAccessSlice } from './message-access.slice.js';
export { lockMessage, invalidMessagesError, type LockedMessage } from './lock-message.repository.js';
export { MessageReaders, type MessageReaderGroup, hasSharedHistory } from './message-readers.js';
export { AdaptiveBatchSize, type MessageBatchSize, maxMessageBatchSize } from './adaptive-message-batch-size.js';
export {
  type MessageBatchBounds,
  type LockedBatchMessage,
  type MessageBatchSource,
  findMessageBatch,
  lockMessageBatch,
  type LockedMessageBatch,
} from './lock-message-batch.js';
export { readFirstMessages, emitChangedFirstMessages } from './first-messages-of-channels.js';
