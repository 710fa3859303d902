import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { ParsedMail } from './parsed-mail.js';
import { SmtpRejectionReply, createTemporaryFailureReply } from './smtp-reply.js';

/** Maximum number of attachments of one mail that are stored. */
const maxAttachments = 50;

/**
 * Maximum length of the plain text and of the HTML text of a parsed mail, in UTF-16 code units. A chat message is far
 * shorter.
 */
const maxMailTextLength = 200_000;

/**
 * Maximum number of bytes that are decoded of the plain text and of the HTML of a mail. Further bytes are ignored. An
 * encoded text of {@link maxMailTextLength} needs fewer bytes. The limit exists because decoding 25 MB takes several
 * times that memory, and half a minute for some charsets.
 */
const maxDecodedMailTextBytes = 2_000_000;

/**
 * Maximum length of HTML that is converted to text, in UTF-16 code units. The conversion time may grow with the square
 * of the length.
 */
const maxConvertedMailHtmlLength = 150_000;

/** Maximum number of headers that the parser returns for one mail. */
const maxMailHeaders = 500;

const createSurroundedElementRule = (selector: string, sign: string) => ({
  selector,
  format: 'inlineSurround',
  options: { prefix: sign, suffix: sign },
});

const createSkippedElementRule = (selector: string) => ({ selector, format: 'skip' });

const createHeadingElementRule = (selector: string) => ({ selector, options: { uppercase: false } });

/** Options of the package `html-to-text` that convert HTML elements to simple Markdown. */
const htmlElementConversionRules = [
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(createHeadingElementRule),
  ...['b', 'strong'].map((name) => createSurroundedElementRule(name, '**')),
  ...['i', 'em'].map((name) => createSurroundedElementRule(name, '*')),
  createSurroundedElementRule('code', '`'),
  { selector: 'ul', options: { itemPrefix: '* ' } },
  { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
  { selector: 'table', options: { uppercaseHeaderCells: false } },
  createSkippedElementRule('img'),
];

/** CSS selectors of HTML elements in which mail programs quote the previous mail. */
const quotedMailCssSelectors = [
  'blockquote[type=cite]',
  'div.gmail_quote',
  'div.gmail_extra',
  'div.gmail_attr',
  'div.yahoo_quoted',
  'div.moz-cite-prefix',
  'div#appendonsend',
  'div#divRplyFwdMsg',
  'div#mail-editor-reference-message-container',
].map(createSkippedElementRule);

const htmlToTextOptions = {
  wordwrap: false,
  limits: { maxDepth: 200, maxChildNodes: 10_000 },
};

/**
 * JavaScript source code of the worker thread that parses mails. The code contains no types, because the string is not
 * compiled.
 */
const mailParserWorkerSource = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { pipeline, Readable, Transform } = require('node:stream');
  const { simpleParser } = require(workerData.mailparser);
  const { Joiner, Splitter } = require(workerData.mailsplit);
  const { convert } = require(workerData.htmlToText);
  const { raw, maxAttachments, maxTextLength, maxTextBytes, maxHtmlLength, maxHeaders } = workerData;
  const { quoteSelectors, htmlOptions } = workerData;
  const fromHtml = (html, selectors) => convert(html, { ...htmlOptions, selectors }).slice(0, maxTextLength);
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true, skipTextLinks: true,
    keepCidLinks: true, checksumAlgo: false,
    // A delivery status is then an attachment, which is not decoded as text, and is omitted without a file name.
    keepDeliveryStatus: true };
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  function* chunksOf(all) {
    for (let at = 0; at < all.length; at += 65536) yield all.subarray(at, at + 65536);
  }
  // Copies a mail without the bytes of text that exceed the limit.
  function withLimitedTexts(source) {
    const left = { 'text/plain': maxTextBytes, 'text/html': maxTextBytes };
    let type = '';
    const limit = new Transform({ objectMode: true, transform(part, _encoding, done) {
      if (part.type === 'node') {
        const isInline = !part.disposition || part.disposition === 'inline';
        type = isInline ? part.contentType || (part.root ? 'text/plain' : '') : '';
      }
      if (part.type !== 'body' || left[type] === undefined) return done(null, part);
      const before = left[type];
      left[type] -= part.value.length;
      if (left[type] >= 0) return done(null, part);
      // The boundary of the next part must begin a line.
      return before >= 0 ? done(null, { type: 'body', value: Buffer.from('\\n') }) : done();
    } });
    return pipeline(Readable.from(chunksOf(source)), new Splitter(), limit, new Joiner(), () => {});
  }
  simpleParser(bytes.length > maxTextBytes ? withLimitedTexts(bytes) : bytes, options).then((mail) => {
    const html = typeof mail.html === 'string' ? mail.html.slice(0, maxHtmlLength) : '';
    const named = mail.attachments.filter(({ filename }) => filename);
    const attachments = named.slice(0, maxAttachments).map(({ filename, contentType, content }) => (
      { name: String(filename), contentType: String(contentType), content: new Uint8Array(content) }));
    const senders = (mail.from?.value ?? []).flatMap(({ address, group }) => group?.map((one) => one.address) ?? [address]);
    parentPort.postMessage({
      headers: (mail.headerLines || []).slice(0, maxHeaders).map(({ key, line }) => (
        [key, line.slice(line.indexOf(':') + 1, line.indexOf(':') + 2000).trim()])),
      messageId: mail.messageId ?? null,
      subject: String(mail.subject ?? ''),
      from: String(mail.from?.text ?? ''),
      fromAddresses: senders.map((address) => String(address ?? '').toLowerCase()),
      text: String(mail.text ?? '').slice(0, maxTextLength),
      html: html === '' ? '' : fromHtml(html, workerData.selectors),
      htmlWithoutQuotes: html === '' ? '' : fromHtml(html, [...workerData.selectors, ...quoteSelectors]),
      attachments,
      omittedAttachments: named.length - attachments.length,
    }, attachments.map(({ content }) => content.buffer));
  }).catch((error) => parentPort.postMessage({ fault: String(error?.message) }));`;

/** Message from the worker thread that parses mails: a parsed mail, or an error text. */
type MailParserThreadMessage =
  | { readonly fault: string }
  | (Omit<ParsedMail, 'headers' | 'attachments'> & {
      readonly headers: readonly (readonly [string, string])[];
      readonly attachments: readonly { name: string; contentType: string; content: Uint8Array }[];
    });

/** Promise of the most recently started mail parsing. Mails are parsed one after another to limit memory use. */
let latestMailParsingPromise: Promise<unknown> = Promise.resolve();

/**
 * Parses a mail in another thread with limits of time and memory, because parsing a small mail may take long. The
 * packages for it are loaded in that thread only.
 *
 * @param raw moves to the thread, and is empty afterwards
 * @param timeoutMs time limit in milliseconds, without the time in which other mails are parsed
 * @throws SmtpRejectionReply for a mail that cannot be parsed, or takes too long
 */
export async function parseMail(raw: Uint8Array<ArrayBuffer>, timeoutMs: number): Promise<ParsedMail> {
  const own = latestMailParsingPromise.then(() => parseInThread(raw, timeoutMs));
  // Resolves to nothing, because the attachments of the mail must not remain in memory until the next one.
  latestMailParsingPromise = own.then(
    () => undefined,
    () => undefined,
  );
  return own;
}

async function parseInThread(raw: Uint8Array<ArrayBuffer>, timeoutMs: number): Promise<ParsedMail> {
  const { resolve } = createRequire(import.meta.url);
  const worker = new Worker(mailParserWorkerSource, {
    eval: true,
    env: {},
    workerData: {
      mailparser: resolve('mailparser'),
      mailsplit: resolve('@zone-eu/mailsplit'),
      htmlToText: resolve('html-to-text'),
      raw,
      selectors: htmlElementConversionRules,
      quoteSelectors: quotedMailCssSelectors,
      htmlOptions: htmlToTextOptions,
      maxAttachments,
      maxTextLength: maxMailTextLength,
      maxTextBytes: maxDecodedMailTextBytes,
      maxHtmlLength: maxConvertedMailHtmlLength,
      maxHeaders: maxMailHeaders,
    },
    transferList: [raw.buffer],
    resourceLimits: { maxOldGenerationSizeMb: 96, stackSizeMb: 4 },
  });
  try {
    return convertThreadMessageToMail(await waitForThreadMessage(worker, timeoutMs));
  } finally {
    await worker.terminate();
  }
}

/**
 * Waits for the message of the worker thread that parses a mail.
 *
 * @throws SmtpRejectionReply if the thread ends without a message, because it needs too much memory, or takes too long
 */
function waitForThreadMessage(worker: Worker, timeoutMs: number): Promise<MailParserThreadMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(createTemporaryFailureReply()), timeoutMs);
    const fail = (cause?: unknown): void => reject(new SmtpRejectionReply(554, 'The mail cannot be parsed', { cause }));
    worker.once('message', resolve).once('error', fail).once('exit', fail);
    worker.once('exit', () => clearTimeout(timer)).once('message', () => clearTimeout(timer));
  });
}

function convertThreadMessageToMail(message: MailParserThreadMessage): ParsedMail {
  if ('fault' in message)
    throw new SmtpRejectionReply(554, 'The mail cannot be parsed', { cause: new Error(message.fault) });
  const headers = new Map<string, string[]>();
  for (const [name, value] of message.headers) headers.set(name, [...(headers.get(name) ?? []), value]);
  const attachments = message.attachments.map(({ content, ...file }) => ({
    ...file,
    content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
  }));
  return { ...message, headers, attachments };
}
