export { messageRetentionFeatureModule } from './message-retention.slice.js';
export { deleteExpiredMessages } from './expire-messages.js';
export {
  cancelMessageDeletion,
  deleteMessagesOfDeletedUsers,
  scheduleMessageDeletion,
} from './user-message-deletion.js';
