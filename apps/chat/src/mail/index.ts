export { FolderTransport } from './folder-transport.js';
export type { Mail, MailTransport } from './mail-transport.js';
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
