/** A payload value that a message shows on one line. */
export type SingleLinePayloadValue = string | number | boolean | null | undefined;

/** Maximum length, in UTF-16 code units, of a payload value on one line, such as a title. */
const maxPayloadLineLength = 300;

/**
 * Maximum length, in UTF-16 code units, of a message text before it is sent. The longest allowed message fits, whatever
 * characters it contains.
 */
const maxWebhookMessageLength = 21_000;

/** Maximum length of a URL in a payload, in UTF-16 code units. A longer URL is omitted from the message. */
const maxUrlLength = 2_000;

/** Maximum length, in UTF-16 code units, of a payload value that becomes a part of a URL. */
const maxUrlPartLength = 200;

/** Maximum length of a quoted text, in UTF-16 code units. Messages are always limited to 10,000 characters. */
const maxQuotedPayloadLength = 6_000;

/**
 * Pattern of the characters at the start of a line that begin a Markdown block: a heading, quote, table row, fenced
 * block or list item.
 */
const blockMarkerPattern = /^(?=#{1,6}(?:\s|$)|[>|]|`{3}|~{3}|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/;

/**
 * Returns a payload value as one line of a message. An invisible prefix prevents characters at the start of the line
 * from beginning a Markdown block.
 */
export function toMarkdownLine(value: SingleLinePayloadValue): string {
  return toPlainTextLine(value).replace(blockMarkerPattern, '\u200B');
}

/**
 * Converts a payload value to one line, for example for a topic. Replaces line breaks by spaces, removes characters
 * that topics cannot contain, and shortens a long text.
 */
export function toPlainTextLine(value: SingleLinePayloadValue): string {
  const text = String(value ?? '').slice(0, maxPayloadLineLength * 4);
  const plain = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}\p{Cn}]/gu, '')
    .trim();
  return plain.length <= maxPayloadLineLength ? plain : `${plain.slice(0, maxPayloadLineLength).trimEnd()}…`;
}

/** Returns a text as a Markdown block quote. Quotes every line of the text, so that the text cannot end the quote. */
export function formatBlockQuote(text: string): string {
  const lines = truncateText(text, maxQuotedPayloadLength)
    .trim()
    .split(/\r\n|\r|\n|\u2028|\u2029/);
  return lines.map((one) => `> ${one}`.trimEnd()).join('\n');
}

/**
 * Returns a text as a Markdown code block. The fence of the block is longer than any sequence of backticks in the text.
 */
export function formatCodeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replaceAll(/\r\n?/g, '\n')}\n${fence}`;
}

/** Returns a payload value as inline code in Markdown. Removes backticks, because they would end the code. */
export function formatInlineCode(value: SingleLinePayloadValue): string {
  const text = toPlainTextLine(value).replaceAll('`', '').trim();
  return text === '' ? '' : `\`${text}\``;
}

/**
 * Returns a payload value as bold Markdown text. Removes asterisks and trailing backslashes, because they would change
 * where the bold text ends.
 */
export function formatBold(value: SingleLinePayloadValue): string {
  const text = removeLastBackslash(toPlainTextLine(value).replaceAll('*', '').trim());
  return text === '' ? '' : `**${text}**`;
}

/** Returns a Markdown link with the given text. Returns only the text if the target is not an HTTP or HTTPS URL. */
export function formatMarkdownLink(text: SingleLinePayloadValue, url: string | null | undefined): string {
  const shown = escapeLinkText(toPlainTextLine(text));
  const target = (url ?? '').trim();
  if (target.length > maxUrlLength || !/^https?:\/\/[^\s]+$/i.test(target)) return toMarkdownLine(shown);
  const escaped = target.replaceAll(/[()<>\\`*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `[${shown === '' ? escapeLinkText(escaped) : shown}](${escaped})`;
}

/** Returns a text for use in a Markdown link. Replaces brackets, which could contain another link, by parentheses. */
function escapeLinkText(text: string): string {
  const paired = (text.split('`').length - 1) % 2 === 0 ? text : text.replaceAll('`', "'");
  return removeLastBackslash(paired.replaceAll('[', '(').replaceAll(']', ')'));
}

/** Removes backslashes at the end of a text. They would escape the Markdown characters that follow the text. */
function removeLastBackslash(text: string): string {
  return text.replace(/[\\\s]+$/, '');
}

/** Percent-encodes a text for use as a segment of a URL path. Shortens a long text. */
export function encodeUrlSegment(text: string): string {
  return encodeURIComponent(text.slice(0, maxUrlPartLength).toWellFormed());
}

/**
 * Returns lines as a Markdown list. Omits empty lines. If there are more than `max` lines, the list ends with the
 * number of omitted lines.
 */
export function formatMarkdownList(lines: readonly string[], max = 20): string {
  const shown = lines.filter((one) => one !== '');
  const items = shown.slice(0, max).map((one) => `* ${one}`);
  const rest = shown.length - items.length;
  return [...items, ...(rest > 0 ? [`* … and ${rest} more`] : [])].join('\n');
}

/** Returns items as a Markdown list. Renders at most `max` items, and adds the number of omitted items. */
export function formatMarkdownListItems<T>(items: readonly T[], render: (item: T) => string, max = 20): string {
  const rest = items.length - max;
  return formatMarkdownList([...items.slice(0, max).map(render), rest > 0 ? `… and ${rest} more` : ''], max + 1);
}

/**
 * Renders items in order until their texts together reach the maximum length of a message. A message would not contain
 * the later items.
 */
export function formatItemsUpToLimit<T>(items: readonly T[], render: (item: T) => string): string[] {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    if (length >= maxWebhookMessageLength) break;
    const text = render(item);
    length += text.length;
    texts.push(text);
  }
  return texts;
}

/** Joins paragraphs with empty lines between them. Omits empty paragraphs. */
export function joinParagraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

/**
 * Returns the Markdown syntax of a time, which clients display in the time zone of the reader. Returns a text that is
 * not a time unchanged on one line.
 */
export function formatMarkdownTime(value: string | number | null | undefined): string {
  const at = new Date(typeof value === 'number' ? value * 1000 : (value ?? ''));
  return Number.isNaN(at.getTime()) ? toMarkdownLine(value) : `<time:${at.toISOString().replace(/\.\d+Z$/, 'Z')}>`;
}

/** Adds a full stop to a sentence, unless the sentence ends with punctuation. */
export function addFullStop(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

/** Returns a text with its first letter in upper case. */
export function capitalizeFirstLetter(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a topic in which the placeholders, such as `{repository} / {branch}`, are replaced by values. */
export function createTopicFromParts(form: string, values: Readonly<Record<string, SingleLinePayloadValue>>): string {
  return form
    .replaceAll(/\{(\w+)\}/g, (_found, name: string) => toPlainTextLine(values[name]))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function truncateText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).trimEnd()}…`;
}

/**
 * Changes the text of an integration's message so that the text has no side effects. The text can then neither mention
 * a user or group, nor link a channel, nor act as a command such as `/poll`. Removes characters that messages cannot
 * contain.
 */
export function neutralizeMessageSideEffects(text: string): string {
  const plain = text.slice(0, maxWebhookMessageLength).toWellFormed().replaceAll('\0', '').trim();
  return plain.replaceAll(/@(?=_?\*)|#(?=\*\*)/g, '$&\u200B').replace(/^\/(?=\w)/, '\u200B/');
}
