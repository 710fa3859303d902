import { gemoji } from 'gemoji';

/**
 * A Unicode emoji: the hexadecimal code points joined by dashes, and the names of the emoji. The usual name comes
 * first.
 */
export interface UnicodeEmoji {
  readonly code: string;
  readonly names: readonly string[];
}

/**
 * Map from an emoji name to the code of the emoji that clients show under the name. The name usually belongs to another
 * emoji (docs/contract/chat.md 5.9).
 */
const usualEmojiNameByCode: Readonly<Record<string, string>> = { smile: '1f642' };

/**
 * List of all Unicode emoji that have a name. The names are common short names, and the Unicode (CLDR) name written
 * like a short name.
 */
export const unicodeEmoji: readonly UnicodeEmoji[] = gemoji.map(({ emoji, names, description }) => {
  const code = toUnicodeEmojiCode(emoji);
  const usual = Object.entries(usualEmojiNameByCode).filter(([, own]) => own === code);
  const others = [...names, toEmojiNameStyle(description)].filter(
    (name) => (usualEmojiNameByCode[name] ?? code) === code,
  );
  return { code, names: [...new Set([...usual.map(([name]) => name), ...others])] };
});

const emojiByCode: ReadonlyMap<string, UnicodeEmoji> = new Map(unicodeEmoji.map((emoji) => [emoji.code, emoji]));

/**
 * Map from names to Unicode emoji. If the short name of one emoji equals the Unicode name of another emoji, the map
 * contains the emoji with the short name.
 */
const emojiByName: ReadonlyMap<string, UnicodeEmoji> = new Map(
  [...toNamedEmoji('last'), ...toNamedEmoji('short')].map(([name, emoji]) => [name, emoji]),
);

/** Returns the Unicode emoji with a code such as `1f44d`. */
export function findEmojiByCode(code: string): UnicodeEmoji | undefined {
  return emojiByCode.get(code);
}

/** Returns the Unicode emoji with a name such as `thumbs_up`. */
export function findEmojiByName(name: string): UnicodeEmoji | undefined {
  return emojiByName.get(name);
}

function toNamedEmoji(place: 'last' | 'short'): (readonly [string, UnicodeEmoji])[] {
  return unicodeEmoji.flatMap((emoji) => {
    const names = place === 'last' ? emoji.names.slice(-1) : emoji.names.slice(0, -1);
    return names.map((name) => [name, emoji] as const);
  });
}

/**
 * Returns the code of a Unicode emoji given as characters, without variation selectors, which affect only the display
 * of the emoji.
 */
export function toUnicodeEmojiCode(emoji: string): string {
  return Array.from(emoji, (character) => character.codePointAt(0) ?? 0)
    .filter((point) => point !== 0xfe0f)
    .map((point) => point.toString(16).padStart(4, '0'))
    .join('-');
}

function toEmojiNameStyle(description: string): string {
  return description
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}
