export { messageAccessSlice } from './message-access.slice.js';
export { lockMessage, invalidMessagesError, type LockedMessage } from './lock-message.repository.js';
export { MessageReaders, type ReadersByFlags, hasSharedHistory } from './message-readers.js';
export { AdaptiveBatchSize, type BatchSize, largestBatch } from './adaptive-message-batch-size.js';
export {
  type BatchBounds,
  type BatchMessage,
  type BatchSource,
  findBatch,
  lockBatch,
  type LockedBatch,
} from './lock-message-batch.js';
export { readFirstMessages, emitChangedFirstMessages } from './first-messages-of-channels.js';
