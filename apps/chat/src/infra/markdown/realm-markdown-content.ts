import type { Linkifier } from './linkifiers.js';

/** A custom emoji of a realm that messages can contain. */
interface CustomEmoji {
  /** Path or URL of the custom emoji's image. */
  readonly sourceUrl: string;
}

/** Linkifiers, custom emoji and other settings with which messages of a realm are rendered. */
export interface RealmMarkdownRenderingSettings {
  /**
   * Origins of this server, such as `https://chat.example.com`. Absolute links to these origins become relative links.
   */
  readonly origins: readonly string[];
  /** Linkifiers of the realm in the order of precedence: the first matching linkifier is applied. */
  readonly linkifiers: readonly Linkifier[];
  /** Custom emoji of the realm by name. A custom emoji takes precedence over a Unicode emoji with an equal name. */
  readonly customEmoji: ReadonlyMap<string, CustomEmoji>;
  /** Default programming language of code blocks; an empty string for no language. */
  readonly codeLanguage: string;
  /** True if messages show previews of linked images, videos and sounds. */
  readonly showsMedia: boolean;
}

/** Markdown settings of a realm without linkifiers and custom emoji. */
export const defaultRealmMarkdownSettings: RealmMarkdownRenderingSettings = {
  origins: [],
  linkifiers: [],
  customEmoji: new Map(),
  codeLanguage: '',
  showsMedia: true,
};
