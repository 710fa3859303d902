export { createMailCheck } from './mail-check.js';
export { type MailTransport } from './mail-transport.js';
export { type MailInFolder, listMailsInFolder } from './read-mail-folder.js';
export { openMailTransport, warnIfMailIsUnsent } from './open-transport.js';
export {
  outgoingMailOutboxMessageType,
  OutgoingMailWriter,
  type UnencryptedMail,
  type EnqueuedMailPayload,
  createOutgoingMailOutboxHandler,
  createEnqueuedMailEncryptionPurpose,
} from './mail-writer.js';
export {
  createMailStoringOutboxHandler,
  sendStoredMail,
  sendMailJobDefinition,
  createStoredMailEncryptionPurpose,
  recoverLostMails,
  recoverLostMailsJobDefinition,
} from './outgoing-mail.js';
