export { messageRetentionSlice } from './message-retention.slice.js';
export { expireMessages } from './expire-messages.js';
export { cancelMessageDeletion, deleteDoomedMessages, doomMessagesOf } from './doomed-senders.js';
