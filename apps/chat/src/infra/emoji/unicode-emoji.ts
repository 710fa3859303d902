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
const preferredEmojiCodeByName: Readonly<Record<string, string>> = { smile: '1f642' };

/**
 * List of all Unicode emoji that have a name. The names are common short names, and the Unicode (CLDR) name written
 * like a short name.
 */
export const allUnicodeEmoji: readonly UnicodeEmoji[] = gemoji.map(({ emoji, names, description }) => {
  const code = getCodeOfEmojiCharacters(emoji);
  const usual = Object.entries(preferredEmojiCodeByName).filter(([, own]) => own === code);
  const others = [...names, convertToEmojiName(description)].filter(
    (name) => (preferredEmojiCodeByName[name] ?? code) === code,
  );
  return { code, names: [...new Set([...usual.map(([name]) => name), ...others])] };
});

const unicodeEmojiByCode: ReadonlyMap<string, UnicodeEmoji> = new Map(
  allUnicodeEmoji.map((emoji) => [emoji.code, emoji]),
);

/**
 * Map from names to Unicode emoji. If the short name of one emoji equals the Unicode name of another emoji, the map
 * contains the emoji with the short name.
 */
const unicodeEmojiByName: ReadonlyMap<string, UnicodeEmoji> = new Map(
  [...listEmojiWithNames('last'), ...listEmojiWithNames('short')].map(([name, emoji]) => [name, emoji]),
);

/** Returns the Unicode emoji with a code such as `1f44d`. */
export function findUnicodeEmojiByCode(code: string): UnicodeEmoji | undefined {
  return unicodeEmojiByCode.get(code);
}

/** Returns the Unicode emoji with a name such as `thumbs_up`. */
export function findUnicodeEmojiByName(name: string): UnicodeEmoji | undefined {
  return unicodeEmojiByName.get(name);
}

function listEmojiWithNames(place: 'last' | 'short'): (readonly [string, UnicodeEmoji])[] {
  return allUnicodeEmoji.flatMap((emoji) => {
    const names = place === 'last' ? emoji.names.slice(-1) : emoji.names.slice(0, -1);
    return names.map((name) => [name, emoji] as const);
  });
}

/**
 * Returns the code of a Unicode emoji given as characters, without variation selectors, which affect only the display
 * of the emoji.
 */
export function getCodeOfEmojiCharacters(emoji: string): string {
  return Array.from(emoji, (character) => character.codePointAt(0) ?? 0)
    .filter((point) => point !== 0xfe0f)
    .map((point) => point.toString(16).padStart(4, '0'))
    .join('-');
}

function convertToEmojiName(description: string): string {
  return description
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}
