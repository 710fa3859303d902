/** A value of a payload that is shown on one line. */
export type PlainValue = string | number | boolean | null | undefined;

/** Maximum length of a value on one line, such as a title, in UTF-16 code units. */
const maxLineLength = 300;

/** Maximum length of a text that is sent, in UTF-16 code units: enough for the longest message in any characters. */
const maxSentLength = 21_000;

/** Maximum length of a URL, in UTF-16 code units. A longer one is omitted. */
const maxUrlLength = 2_000;

/** Maximum length of a value that becomes a part of a URL, in UTF-16 code units. */
const maxUrlPartLength = 200;

/** Maximum length of a quoted text, in UTF-16 code units. A message is cut at 10,000 characters in any case. */
const maxQuoteLength = 6_000;

/**
 * Returns a value as one line: line breaks become spaces, control characters are removed, and a long text is cut. A line
 * of a payload can therefore start no block of a message.
 */
export function line(value: PlainValue): string {
  const text = String(value ?? '').slice(0, maxLineLength * 4);
  const plain = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
    .trim();
  return plain.length <= maxLineLength ? plain : `${plain.slice(0, maxLineLength).trimEnd()}…`;
}

/** Returns a text as a block quote. Every line is quoted, so that the text cannot end the quote. */
export function quote(text: string): string {
  const lines = cut(text, maxQuoteLength)
    .trim()
    .split(/\r\n|\r|\n|\u2028|\u2029/);
  return lines.map((one) => `> ${one}`.trimEnd()).join('\n');
}

/** Returns a text as a code block, whose fence is longer than any run of backticks in the text. */
export function codeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replaceAll(/\r\n?/g, '\n')}\n${fence}`;
}

/** Returns a value as inline code. Backticks are removed, since they would end the code. */
export function code(value: PlainValue): string {
  const text = line(value).replaceAll('`', '').trim();
  return text === '' ? '' : `\`${text}\``;
}

/** Returns a value in bold. Asterisks are removed, since they would end the bold text. */
export function bold(value: PlainValue): string {
  const text = line(value).replaceAll('*', '').trim();
  return text === '' ? '' : `**${text}**`;
}

/** Returns a link, or only its text if the target is not a URL of the web. */
export function link(text: PlainValue, url: string | null | undefined): string {
  const shown = linkText(text);
  const target = (url ?? '').trim();
  if (target.length > maxUrlLength || !/^https?:\/\/[^\s]+$/i.test(target)) return shown;
  const escaped = target.replaceAll(/[()<>\\`*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `[${shown === '' ? escaped : shown}](${escaped})`;
}

/** Returns a text that can stand in a link: brackets become parentheses unless each one is closed. */
function linkText(value: PlainValue): string {
  const text = line(value);
  let depth = 0;
  for (const character of text) {
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth < 0) break;
  }
  const paired = (text.split('`').length - 1) % 2 === 0 ? text : text.replaceAll('`', "'");
  return depth === 0 ? paired : paired.replaceAll('[', '(').replaceAll(']', ')');
}

/** Returns a text with escapes, as a segment of the path of a URL. A long text is cut. */
export function urlPart(text: string): string {
  return encodeURIComponent(text.slice(0, maxUrlPartLength).toWellFormed());
}

/** Returns lines as a list. Empty lines are omitted, and beyond `max` the number of further lines is shown. */
export function list(lines: readonly string[], max = 20): string {
  const shown = lines.filter((one) => one !== '');
  const items = shown.slice(0, max).map((one) => `* ${one}`);
  const rest = shown.length - items.length;
  return [...items, ...(rest > 0 ? [`* … and ${rest} more`] : [])].join('\n');
}

/** Returns items as a list. Renders at most `max` of them, and shows the number of the others. */
export function listOf<T>(items: readonly T[], render: (item: T) => string, max = 20): string {
  const rest = items.length - max;
  return list([...items.slice(0, max).map(render), rest > 0 ? `… and ${rest} more` : ''], max + 1);
}

/** Renders items in order, until their texts have the length of a message. The rest would be cut. */
export function renderedUpToLimit<T>(items: readonly T[], render: (item: T) => string): string[] {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    if (length >= maxSentLength) break;
    const text = render(item);
    length += text.length;
    texts.push(text);
  }
  return texts;
}

/** Returns paragraphs with empty lines between them. Empty paragraphs are omitted. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

/** Returns a time that clients show in the time zone of the reader. Text that is not a time is returned as a line. */
export function time(value: string | number | null | undefined): string {
  const at = new Date(typeof value === 'number' ? value * 1000 : (value ?? ''));
  return Number.isNaN(at.getTime()) ? line(value) : `<time:${at.toISOString().replace(/\.\d+Z$/, 'Z')}>`;
}

/** Returns a sentence with a full stop, unless it ends with punctuation. */
export function sentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

/** Returns a text with its first letter in upper case. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Fills the placeholders of a topic, such as `{repository} / {branch}`. */
export function fillTopic(form: string, values: Readonly<Record<string, PlainValue>>): string {
  return form
    .replaceAll(/\{(\w+)\}/g, (_found, name: string) => line(values[name]))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).trimEnd()}…`;
}

/**
 * Makes the text of an integration safe to send: no text of a payload mentions a user, group or channel, and none is a
 * command such as `/poll`. Removes characters that messages cannot contain.
 */
export function harmless(text: string): string {
  const plain = text.slice(0, maxSentLength).toWellFormed().replaceAll('\0', '').trim();
  return plain.replaceAll(/@(?=_?\*)/g, '@\u200B').replace(/^\/(?=\w)/, '\u200B/');
}
