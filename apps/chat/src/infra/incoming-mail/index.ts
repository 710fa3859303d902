export { automaticMailReason, isLooping } from './automatic-mail.js';
export { acceptsMail } from './incoming-mail-env.js';
export { IncomingMailServer, type IncomingMailHandler, type ReceivedMail } from './incoming-mail-server.js';
export { isForwarded, textOfMail, topicOfSubject } from './extract-mail-text.js';
export { parseMail } from './parse-mail.js';
export type { MailAttachment, ParsedMail } from './parsed-mail.js';
export { SmtpReply, temporaryFault } from './smtp-reply.js';
