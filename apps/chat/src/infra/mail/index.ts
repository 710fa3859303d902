export { createMailCheck } from './mail-check.js';
export { type MailTransport } from './mail-transport.js';
export { type StoredMail, listStoredMails } from './read-mail-folder.js';
export { openMailTransport, warnAboutUnsentMails } from './open-transport.js';
export {
  outgoingMailMessage,
  MailWriter,
  type NewMail,
  type WrittenMail,
  writtenMailDispatcher,
  writtenMailPurpose,
} from './mail-writer.js';
export {
  mailDispatcher,
  sendMail,
  sendMailJob,
  storedMailPurpose,
  sweepMails,
  sweepMailsJob,
} from './outgoing-mail.js';
