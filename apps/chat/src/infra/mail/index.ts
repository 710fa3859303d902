export { type MailTransport } from './mail-transport.js';
export { type StoredMail, listStoredMails } from './mail-folder.js';
export { openMailTransport, warnOfUnsentMails } from './open-transport.js';
export {
  mailDispatcher,
  mailMessage,
  type NewMail,
  sendMail,
  sendMailJob,
  sweepMails,
  sweepMailsJob,
  writeMail,
} from './outgoing-mail.js';
