import type { MarkdownIt, Token } from 'markdown-it';
import { createElementTokens, pushInlineToken, createLiteralToken } from './create-markdown-tokens.js';

const timeMarkupPattern = /<time:([^>\n]{0,100})>/y;

/**
 * Regular expression of an ISO 8601 time: a date, optionally with a time of day and a time zone. The default time zone
 * is UTC.
 */
const isoTimePattern = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/;
const unixSecondsPattern = /^\d{1,11}$/;

/**
 * Adds the Markdown rule that converts `<time:…>` to a time that clients show in the reader's time zone
 * (docs/contract/chat.md 5.9).
 */
export function addTimestampRule(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('autolink', 'chat_time', (state, silent) => {
    if (state.src[state.pos] !== '<') return false;
    timeMarkupPattern.lastIndex = state.pos;
    const found = timeMarkupPattern.exec(state.src);
    if (found === null) return false;
    const [source, text = ''] = found;
    if (!silent) pushInlineToken(state, createTimeTokens(source, text));
    state.pos += source.length;
    return true;
  });
}

/**
 * Returns the markdown-it tokens of the Markdown syntax `<time:…>`. Text that is not a valid time remains unchanged
 * (feature level 451).
 */
function createTimeTokens(source: string, text: string): Token[] {
  const at = parseTimeMarkup(text.trim());
  if (at === undefined) return [createLiteralToken(source)];
  const datetime = at.toISOString().replace(/\.\d+Z$/, 'Z');
  return createElementTokens('time', { datetime }, createLiteralToken(text));
}

function parseTimeMarkup(text: string): Date | undefined {
  const date = unixSecondsPattern.test(text) ? new Date(Number(text) * 1000) : parseIsoTime(text);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

function parseIsoTime(text: string): Date | undefined {
  const parts = isoTimePattern.exec(text);
  if (parts === null) return undefined;
  const [, day, clock = '00:00', zone = 'Z'] = parts;
  return new Date(`${day}T${clock}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`);
}
