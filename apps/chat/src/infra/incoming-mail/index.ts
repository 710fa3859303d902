export { findReasonToIgnoreMail, isMailInDeliveryLoop } from './automatic-mail.js';
export { runsIncomingMailServer } from './incoming-mail-env.js';
export { IncomingMailServer, type IncomingMailHandler, type ReceivedMail } from './incoming-mail-server.js';
export { isForwardedSubject, extractMailText, convertMailSubjectToTopic } from './extract-mail-text.js';
export { parseMail } from './parse-mail.js';
export type { MailAttachment, ParsedMail } from './parsed-mail.js';
export { SmtpRejectionReply, createTemporaryFailureReply } from './smtp-reply.js';
