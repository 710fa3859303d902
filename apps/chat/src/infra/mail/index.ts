export { type MailTransport } from './mail-transport.js';
export { type StoredMail, listStoredMails } from './read-mail-folder.js';
export { openMailTransport, warnOfUnsentMails } from './open-transport.js';
export {
  mailMessage,
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
