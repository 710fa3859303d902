export { findAutomaticMailReason, isLoopingMail } from './automatic-mail.js';
export { acceptsIncomingMail } from './incoming-mail-env.js';
export { IncomingMailServer, type IncomingMailHandler, type ReceivedMail } from './incoming-mail-server.js';
export { isForwardedSubject, extractMailText, toTopic } from './extract-mail-text.js';
export { parseMail } from './parse-mail.js';
export type { MailAttachment, ParsedMail } from './parsed-mail.js';
export { SmtpReply, temporaryFailureReply } from './smtp-reply.js';
