export { messageRetentionSlice } from './message-retention.slice.js';
export { expireMessages } from './expire-messages.js';
export {
  cancelMessageDeletion,
  deleteMessagesOfDeletedUsers,
  scheduleMessageDeletion,
} from './user-message-deletion.js';
