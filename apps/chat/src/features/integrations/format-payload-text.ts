/** A payload value that is shown on one line. */
export type PlainValue = string | number | boolean | null | undefined;

/** Maximum length of a value on one line, such as a title, in UTF-16 code units. */
const maxPayloadLineLength = 300;

/**
 * Maximum length of a text that is sent, in UTF-16 code units. The longest message fits, whatever characters it
 * contains.
 */
const maxSentMessageLength = 21_000;

/** Maximum length of a URL, in UTF-16 code units. A longer one is omitted. */
const maxUrlLength = 2_000;

/** Maximum length of a value that becomes a part of a URL, in UTF-16 code units. */
const maxUrlPartLength = 200;

/** Maximum length of a quoted text, in UTF-16 code units. A message is cut at 10,000 characters in any case. */
const maxQuoteLength = 6_000;

/**
 * Pattern of a marker that starts a Markdown block at the start of a line: a heading, quote, table row, fenced block or
 * list item.
 */
const blockMarkerPattern = /^(?=#{1,6}(?:\s|$)|[>|]|`{3}|~{3}|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/;

/**
 * Returns a value as one line of a message. An invisible prefix prevents a marker at the start of the line from
 * starting a block.
 */
export function toSingleLine(value: PlainValue): string {
  return toPlainLine(value).replace(blockMarkerPattern, '\u200B');
}

/**
 * Converts a value to one line, such as a topic: replaces line breaks by spaces, removes characters that topics cannot
 * contain, and cuts a long text.
 */
export function toPlainLine(value: PlainValue): string {
  const text = String(value ?? '').slice(0, maxPayloadLineLength * 4);
  const plain = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}\p{Cn}]/gu, '')
    .trim();
  return plain.length <= maxPayloadLineLength ? plain : `${plain.slice(0, maxPayloadLineLength).trimEnd()}…`;
}

/** Returns a text as a block quote. Every line is quoted, so that the text cannot end the quote. */
export function formatBlockQuote(text: string): string {
  const lines = truncateText(text, maxQuoteLength)
    .trim()
    .split(/\r\n|\r|\n|\u2028|\u2029/);
  return lines.map((one) => `> ${one}`.trimEnd()).join('\n');
}

/** Returns a text as a code block, whose fence is longer than any run of backticks in the text. */
export function formatCodeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replaceAll(/\r\n?/g, '\n')}\n${fence}`;
}

/** Returns a value as inline code. Backticks are removed, since they would end the code. */
export function formatInlineCode(value: PlainValue): string {
  const text = toPlainLine(value).replaceAll('`', '').trim();
  return text === '' ? '' : `\`${text}\``;
}

/**
 * Returns a value in bold. Removes asterisks and trailing backslashes, because they would change where the bold text
 * ends.
 */
export function formatBold(value: PlainValue): string {
  const text = removeLastBackslash(toPlainLine(value).replaceAll('*', '').trim());
  return text === '' ? '' : `**${text}**`;
}

/** Returns a link, or only its text if the target is not a URL of the web. */
export function formatMarkdownLink(text: PlainValue, url: string | null | undefined): string {
  const shown = escapeLinkText(toPlainLine(text));
  const target = (url ?? '').trim();
  if (target.length > maxUrlLength || !/^https?:\/\/[^\s]+$/i.test(target)) return toSingleLine(shown);
  const escaped = target.replaceAll(/[()<>\\`*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `[${shown === '' ? escapeLinkText(escaped) : shown}](${escaped})`;
}

/** Returns a text for use in a link. Brackets, which could contain another link, become parentheses. */
function escapeLinkText(text: string): string {
  const paired = (text.split('`').length - 1) % 2 === 0 ? text : text.replaceAll('`', "'");
  return removeLastBackslash(paired.replaceAll('[', '(').replaceAll(']', ')'));
}

/** Removes backslashes at the end of a text, which would escape the markup after it. */
function removeLastBackslash(text: string): string {
  return text.replace(/[\\\s]+$/, '');
}

/** Percent-encodes a text as a segment of a URL path. A long text is cut. */
export function encodeUrlSegment(text: string): string {
  return encodeURIComponent(text.slice(0, maxUrlPartLength).toWellFormed());
}

/**
 * Returns lines as a Markdown list. Empty lines are omitted. If there are more than `max` lines, the list ends with the
 * number of the others.
 */
export function formatMarkdownList(lines: readonly string[], max = 20): string {
  const shown = lines.filter((one) => one !== '');
  const items = shown.slice(0, max).map((one) => `* ${one}`);
  const rest = shown.length - items.length;
  return [...items, ...(rest > 0 ? [`* … and ${rest} more`] : [])].join('\n');
}

/** Returns items as a Markdown list. Renders at most `max` items, and shows the number of the others. */
export function formatListItems<T>(items: readonly T[], render: (item: T) => string, max = 20): string {
  const rest = items.length - max;
  return formatMarkdownList([...items.slice(0, max).map(render), rest > 0 ? `… and ${rest} more` : ''], max + 1);
}

/** Renders items in order until their texts reach the length of a message. Later items would be cut anyway. */
export function formatUpToLimit<T>(items: readonly T[], render: (item: T) => string): string[] {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    if (length >= maxSentMessageLength) break;
    const text = render(item);
    length += text.length;
    texts.push(text);
  }
  return texts;
}

/** Joins paragraphs by empty lines. Empty paragraphs are omitted. */
export function joinParagraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

/**
 * Returns the Markdown of a time, which clients show in the time zone of the reader. A text that is not a time is
 * returned as a line.
 */
export function formatMarkdownTime(value: string | number | null | undefined): string {
  const at = new Date(typeof value === 'number' ? value * 1000 : (value ?? ''));
  return Number.isNaN(at.getTime()) ? toSingleLine(value) : `<time:${at.toISOString().replace(/\.\d+Z$/, 'Z')}>`;
}

/** Ends a sentence with a full stop, unless it ends with punctuation. */
export function addFullStop(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

/** Returns a text with its first letter in upper case. */
export function capitalizeFirstLetter(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Fills the placeholders of a topic, such as `{repository} / {branch}`. */
export function createTopicFromParts(form: string, values: Readonly<Record<string, PlainValue>>): string {
  return form
    .replaceAll(/\{(\w+)\}/g, (_found, name: string) => toPlainLine(values[name]))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function truncateText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).trimEnd()}…`;
}

/**
 * Makes the text of an integration safe to send: no part of a payload can mention a user or group, link a channel, or
 * act as a command such as `/poll`. Removes characters that messages cannot contain.
 */
export function neutralizeMentions(text: string): string {
  const plain = text.slice(0, maxSentMessageLength).toWellFormed().replaceAll('\0', '').trim();
  return plain.replaceAll(/@(?=_?\*)|#(?=\*\*)/g, '$&\u200B').replace(/^\/(?=\w)/, '\u200B/');
}
