import type { ParsedMail } from './parsed-mail.js';

/**
 * Maximum number of `Received` headers of a mail. A mail with more headers is considered to be in a delivery loop (RFC
 * 5321 6.3).
 */
const maxReceivedHeaders = 50;

/** Returns true if a mail has passed so many servers that the mail must be in a delivery loop. */
export function isMailInDeliveryLoop({ headers }: ParsedMail): boolean {
  return (headers.get('received')?.length ?? 0) > maxReceivedHeaders;
}

/**
 * Returns the reason why a mail becomes no message. Such mails are automatic replies (RFC 3834), reports about other
 * mails, and mails of this service. Returns null for other mails: those of people, of mailing lists, and of programs
 * that report events.
 *
 * @param envelopeSender empty for reports and many automatic replies
 * @param ownAddress address from which this service sends mails
 */
export function findReasonToIgnoreMail(mail: ParsedMail, envelopeSender: string, ownAddress: string): string | null {
  if (envelopeSender === '') return 'it has no return path';
  if (mail.fromAddresses.includes(ownAddress.toLowerCase())) return 'this service has sent it';
  if (/^multipart\/report\b/i.test(getMailHeader(mail, 'content-type'))) return 'it is a report';
  if (/^auto-replied\b/i.test(getMailHeader(mail, 'auto-submitted'))) return 'it is an automatic reply';
  if (/^auto_reply$/i.test(getMailHeader(mail, 'precedence'))) return 'it is an automatic reply';
  if (hasMailHeader(mail, 'x-autoreply') || hasMailHeader(mail, 'x-autorespond')) return 'it is an automatic reply';
  return !isMailingListPost(mail) && isReplyMail(mail) && isAutomaticMail(mail) ? 'it is an automatic reply' : null;
}

function isMailingListPost(mail: ParsedMail): boolean {
  return (
    hasMailHeader(mail, 'list-id') ||
    hasMailHeader(mail, 'list-post') ||
    /^list$/i.test(getMailHeader(mail, 'precedence'))
  );
}

function isReplyMail(mail: ParsedMail): boolean {
  return hasMailHeader(mail, 'in-reply-to') || hasMailHeader(mail, 'references');
}

/**
 * Returns true if the headers of a mail show that a program sent the mail, such as an automatic reply or a bulk mail.
 */
function isAutomaticMail(mail: ParsedMail): boolean {
  const submitted = getMailHeader(mail, 'auto-submitted');
  if (submitted !== '' && !/^no\b/i.test(submitted)) return true;
  return /^(?:bulk|junk)$/i.test(getMailHeader(mail, 'precedence')) || hasMailHeader(mail, 'x-auto-response-suppress');
}

function hasMailHeader({ headers }: ParsedMail, name: string): boolean {
  return headers.has(name);
}

function getMailHeader({ headers }: ParsedMail, name: string): string {
  return headers.get(name)?.[0] ?? '';
}
