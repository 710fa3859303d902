import type { ParsedMail } from './parsed-mail.js';

/** Conversion options that the email address of a channel contains (docs/contract/chat.md 2.E). */
export interface MailTextOptions {
  readonly includeQuotes: boolean;
  readonly includeFooter: boolean;
  readonly prefersHtml: boolean;
}

/**
 * Regular expression of the prefixes and suffixes that mail programs add to the subjects of replies and forwarded
 * mails.
 */
const replySubjectPrefixPattern =
  /(?:[[(] {0,9})?\b(?:RE|AW|FWD?) {0,9}(?:[-:;)\]][ :;\])-]{0,20}|$)|\]{1,20} {0,9}$/gim;

const forwardedSubjectPattern = /^(?:[[(] {0,9})?FWD? {0,9}(?:[-:;)\]]|$)/i;

/** Returns true if a subject begins with the prefix of a forwarded mail. */
export function isForwardedSubject(subject: string): boolean {
  return forwardedSubjectPattern.test(subject);
}

/**
 * Converts the subject of a mail to a topic: removes prefixes such as `Re:`, and characters that topics cannot contain.
 */
export function convertMailSubjectToTopic(subject: string): string {
  const stripped = subject.slice(0, 1000).replaceAll(replySubjectPrefixPattern, '');
  const topic = stripped.replaceAll(/\s+/g, ' ').replaceAll(/[\p{Cc}\p{Cs}\p{Cn}]/gu, '');
  return topic.trim() || 'Email with no subject';
}

/**
 * Returns the text of a mail: the plain text if present, otherwise the text of the HTML. Options may prefer the HTML or
 * remove quotes and the footer.
 */
export function extractMailText(
  mail: ParsedMail,
  { includeQuotes, includeFooter, prefersHtml }: MailTextOptions,
): string {
  const plain = includeQuotes ? normalizeMailText(mail.text) : removeQuotes(normalizeMailText(mail.text));
  const html = normalizeMailText(includeQuotes ? mail.html : mail.htmlWithoutQuotes);
  const [first, second] = prefersHtml ? [html, plain] : [plain, html];
  const text = first.trim() === '' ? second : first;
  return (includeFooter ? text : removeMailSignature(text)).trim() || '(No email body)';
}

function normalizeMailText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '').toWellFormed();
}

/** Removes the signature below a line `--` from the text of a mail, if the text contains exactly one line `--`. */
function removeMailSignature(text: string): string {
  const lines = text.split('\n');
  const ends = lines.flatMap((line, index) => (line.trim() === '--' ? [index] : []));
  return ends.length === 1 ? lines.slice(0, ends[0]).join('\n') : text;
}

/** Maximum number of lines of the introductory sentence that mail programs write before a quoted mail. */
const maxQuoteIntroductionLines = 3;

/**
 * Regular expressions of the introductory sentences that mail programs write before a quoted mail, in several
 * languages.
 */
const quoteIntroductionPatterns = [
  /^(?:On|El|Il giorno|Em) .{4,400} (?:wrote|escribió|ha scritto|escreveu):?$/i,
  /^(?:Am|Op|Den) .{4,400} (?:schrieb|schreef|skrev)\b.{0,200}:$/i,
  /^Le .{4,400} a écrit ?:$/i,
  /^.{4,400} (?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|skrev) ?:$/i,
];

/**
 * Regular expression of the lines that mail programs write above a quoted mail without `>` prefixes. All text below a
 * matching line is quoted.
 */
const quotedMailSeparatorPattern =
  /^(?:-{3,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Forwarded message)\s*-{3,})$/i;

/**
 * Regular expression of the first header line of a mail that Outlook quotes below a line of underscores or an empty
 * line.
 */
const outlookHeaderPattern = /^\*?(?:From|Von|De|Da|Van|Från):\*? \S/i;
const outlookDatePattern = /^\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Verzonden|Skickat):\*? \S/i;

/**
 * Removes the mail that is quoted at the end of a text, and the sentence that introduces the quote. Quotes that are
 * followed by text remain, because the text refers to the quotes.
 */
function removeQuotes(text: string): string {
  const lines = text.split('\n');
  const cut = lines.findIndex(
    (line, index) => quotedMailSeparatorPattern.test(line.trim()) || isOutlookQuote(lines, index),
  );
  const kept = cut < 0 ? lines : lines.slice(0, cut);
  if (cut >= 0 && /^_{5,}$/.test(kept.at(-1)?.trim() ?? '')) kept.pop();
  let end = kept.length;
  while (end > 0 && isQuotedOrBlank(kept[end - 1] ?? '')) end -= 1;
  if (!kept.slice(end).some((line) => line.startsWith('>'))) return kept.join('\n');
  return kept.slice(0, end - countQuoteIntroductionLines(kept, end)).join('\n');
}

function isOutlookQuote(lines: readonly string[], index: number): boolean {
  return (
    outlookHeaderPattern.test(lines[index]?.trim() ?? '') && outlookDatePattern.test(lines[index + 1]?.trim() ?? '')
  );
}

function isQuotedOrBlank(line: string): boolean {
  return line.startsWith('>') || line.trim() === '';
}

/**
 * Returns the number of lines before the line index `end` that form the introductory sentence of a quote; 0 if no
 * sentence is found.
 */
function countQuoteIntroductionLines(lines: readonly string[], end: number): number {
  for (let count = 1; count <= Math.min(maxQuoteIntroductionLines, end); count += 1) {
    const sentence = lines
      .slice(end - count, end)
      .map((line) => line.trim())
      .join(' ');
    if (sentence.length <= 500 && quoteIntroductionPatterns.some((introduction) => introduction.test(sentence)))
      return count;
  }
  return 0;
}
