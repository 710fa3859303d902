export { holdMessage, invalidMessages, type HeldMessage, type HoldOptions } from './hold-message.repository.js';
export { everybodyOf, listMessageReaders, type MessagesOfConversation } from './message-readers.repository.js';
export { type BatchMessage, batchRows, lockBatchSql } from './message-batch.js';
export { readFirstMessages, tellFirstMessages, type FirstMessages } from './first-message.js';
