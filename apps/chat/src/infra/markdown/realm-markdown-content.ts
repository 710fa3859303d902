import type { Linkifier } from './linkifiers.js';

/** A custom emoji that messages can use. */
interface CustomEmoji {
  /** Path or URL of the emoji's image. */
  readonly sourceUrl: string;
}

/** Linkifiers, custom emoji and other settings with which messages of a realm are rendered. */
export interface RealmContent {
  /** Origins whose absolute links become relative, such as `https://chat.example.com`. */
  readonly origins: readonly string[];
  /** Linkifiers in order; the first match wins. */
  readonly linkifiers: readonly Linkifier[];
  /** Custom emoji by name; they precede Unicode emoji of the same name. */
  readonly customEmoji: ReadonlyMap<string, CustomEmoji>;
  /** Default language of code blocks; empty for no language. */
  readonly codeLanguage: string;
  /** True to show previews of linked images, videos and sounds. */
  readonly showsMedia: boolean;
}

/** Markdown settings of a realm without linkifiers and custom emoji. */
export const defaultRealmContent: RealmContent = {
  origins: [],
  linkifiers: [],
  customEmoji: new Map(),
  codeLanguage: '',
  showsMedia: true,
};
