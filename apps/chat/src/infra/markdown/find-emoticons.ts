import type { Token } from 'markdown-it';
import { createReferencePlaceholderToken } from './unresolved-references.js';
import { createTextToken } from './create-markdown-tokens.js';

/** Map from emoticons such as `:)` to the codes of Unicode emoji. */
const emojiCodeByEmoticon: Readonly<Record<string, string>> = {
  ':)': '1f642',
  '(:': '1f642',
  ':(': '1f641',
  ':/': '1f615',
  ':|': '1f610',
  ':D': '1f600',
  ':P': '1f61b',
  ':p': '1f61b',
  ';)': '1f609',
  '<3': '2764',
};

/** Regular expression of emoticons that stand between blanks or before the end of a sentence. */
const emoticonPattern = /(?<=^|[\s(])(?::[)(/|DPp]|\(:|;\)|<3)(?=$|[\s.,!?)])/g;

/**
 * Splits a text into tokens of emoticons and tokens of other text. A later step converts the emoticons to emoji if the
 * author's settings require the conversion. Returns undefined for a text without emoticons.
 */
export function splitTextAtEmoticons(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(emoticonPattern)) {
    const code = emojiCodeByEmoticon[found] ?? '';
    tokens.push(
      createTextToken(text.slice(end, index)),
      createReferencePlaceholderToken({ kind: 'emoticon', text: found, code }),
    );
    end = index + found.length;
  }
  return tokens.length === 0 ? undefined : [...tokens, createTextToken(text.slice(end))];
}
