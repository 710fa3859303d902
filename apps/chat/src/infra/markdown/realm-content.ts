import type { Linkifier } from './linkifiers.js';

/** A custom emoji that messages may name. */
interface CustomEmoji {
  /** Path or address of the image. */
  readonly sourceUrl: string;
}

/** A realm's additions to the dialect of its messages. */
export interface RealmContent {
  /** Origins whose absolute links become relative, such as `https://chat.example.com`. */
  readonly origins: readonly string[];
  /** In their order: the first that matches a text has it. */
  readonly linkifiers: readonly Linkifier[];
  /** By name; they go before emoji of Unicode that are called alike. */
  readonly customEmoji: ReadonlyMap<string, CustomEmoji>;
  /** Language of code blocks without a language; empty for none. */
  readonly codeLanguage: string;
  /** Whether uploaded images, videos and sounds show below the links to them. */
  readonly showsMedia: boolean;
}

/** A realm that adds nothing. */
export const plainRealm: RealmContent = {
  origins: [],
  linkifiers: [],
  customEmoji: new Map(),
  codeLanguage: '',
  showsMedia: true,
};
