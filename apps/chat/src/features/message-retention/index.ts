export { expireMessages, type RetentionTools } from './expire-messages.js';
export {
  cancelMessageDeletion,
  deleteDoomedMessages,
  doomedSendersDispatcher,
  doomedSendersTopic,
  doomMessagesOf,
} from './doomed-senders.js';
