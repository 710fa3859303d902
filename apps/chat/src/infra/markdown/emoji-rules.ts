import type { MarkdownIt, Token } from 'markdown-it';
import { findEmojiByReference } from '../emoji/emoji-reference.js';
import { findUnicodeEmojiByCode, getCodeOfEmojiCharacters } from '../emoji/unicode-emoji.js';
import { getParseContext } from './parse-context.js';
import type { RealmMarkdownRenderingSettings } from './realm-markdown-content.js';
import {
  createElementTokens,
  createLiteralToken,
  pushInlineToken,
  createStartTagToken,
  createTextToken,
} from './create-markdown-tokens.js';

const emojiNamePattern = /:([\w+-]{1,100}):/y;

/** URL of the image of the emoji `zulip`, the only emoji that is neither a custom emoji nor a Unicode emoji. */
const zulipExtraEmojiImageUrl = '/static/generated/emoji/images/emoji/unicode/zulip.png';

/**
 * Regular expression of emoji characters and emoji sequences. Letters, digits and signs such as © match only with a
 * variation selector that requests the emoji form.
 */
const emojiPattern = new RegExp(
  String.raw`(?:\p{RI}\p{RI}|[#*\d]\uFE0F\u20E3|(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F)(?:\p{EMod}|\uFE0F)?` +
    String.raw`(?:[\u{E0020}-\u{E007E}]+\u{E007F})?(?:\u200D\p{Emoji}(?:\p{EMod}|\uFE0F)?){0,8})`,
  'gu',
);
const possibleEmojiCharacterPattern = /[\u20E3\u2190-\u{1FAFF}]/u;

/**
 * Adds the Markdown rule that converts `:name:` to a custom emoji of the realm or a Unicode emoji
 * (docs/contract/chat.md 5.9).
 */
export function addNamedEmojiRule(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('emphasis', 'chat_emoji', (state, silent) => {
    if (state.src[state.pos] !== ':') return false;
    emojiNamePattern.lastIndex = state.pos;
    const found = emojiNamePattern.exec(state.src);
    const tokens =
      found === null ? undefined : createTokensForEmojiName(found[1] ?? '', getParseContext(state.env).realm);
    if (found === null || tokens === undefined) return false;
    if (!silent) pushInlineToken(state, tokens);
    state.pos += found[0].length;
    return true;
  });
}

/**
 * Splits a text into tokens of emoji characters and tokens of other text. Returns undefined for a text without emoji
 * characters.
 */
export function splitTextAtEmojiCharacters(text: string): Token[] | undefined {
  if (!possibleEmojiCharacterPattern.test(text)) return undefined;
  const tokens: Token[] = [];
  let end = 0;
  for (const found of text.matchAll(emojiPattern)) {
    const code = getCodeOfEmojiCharacters(found[0]);
    const name = findUnicodeEmojiByCode(code)?.names[0];
    if (name === undefined) continue;
    tokens.push(createTextToken(text.slice(end, found.index)), ...createUnicodeEmojiTokens(name, code));
    end = found.index + found[0].length;
  }
  return end === 0 ? undefined : [...tokens, createTextToken(text.slice(end))];
}

/** Returns the markdown-it tokens of the Unicode emoji with the given code, labelled with the emoji's usual name. */
export function createTokensForEmojiCode(code: string): Token[] {
  return createUnicodeEmojiTokens(findUnicodeEmojiByCode(code)?.names[0] ?? code, code);
}

function createTokensForEmojiName(name: string, realm: RealmMarkdownRenderingSettings): Token[] | undefined {
  const custom = realm.customEmoji.get(name);
  if (custom !== undefined) return [createEmojiImage(name, custom.sourceUrl)];
  const emoji = findEmojiByReference(name);
  if (emoji === undefined) return undefined;
  return emoji.reactionType === 'unicode_emoji'
    ? createUnicodeEmojiTokens(name, emoji.emojiCode)
    : [createEmojiImage(name, zulipExtraEmojiImageUrl)];
}

function createUnicodeEmojiTokens(name: string, code: string): Token[] {
  const title = replaceUnderscoresWithSpaces(name);
  const attributes = { 'aria-label': title, class: `emoji emoji-${code}`, role: 'img', title };
  return createElementTokens('span', attributes, createLiteralToken(`:${name}:`));
}

function createEmojiImage(name: string, src: string): Token {
  return createStartTagToken('img', {
    alt: `:${name}:`,
    class: 'emoji',
    src,
    title: replaceUnderscoresWithSpaces(name),
  });
}

function replaceUnderscoresWithSpaces(name: string): string {
  return name.replaceAll('_', ' ');
}
