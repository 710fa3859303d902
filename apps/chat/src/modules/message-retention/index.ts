export { expireMessages, type RetentionTools } from './expire-messages.js';
export { deleteDoomedMessages, doomedSendersDispatcher, doomedSendersTopic, doomMessagesOf } from './doomed-senders.js';
