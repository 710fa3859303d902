export { type MailTransport } from './mail-transport.js';
export { type StoredMail, listStoredMails } from './mail-folder.js';
export { openMailTransport, warnOfUnsentMails } from './open-transport.js';
export {
  mailDispatcher,
  mailTopic,
  type NewMail,
  sendMail,
  sendMailJob,
  sweepMails,
  sweepMailsJob,
  writeMail,
} from './outgoing-mail.js';
