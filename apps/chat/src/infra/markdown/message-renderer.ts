import type { MarkdownIt, Token } from 'markdown-it';
import { replaceLoneSurrogates } from '../normalized-text-key.js';
import { type UnresolvedReference, getReferenceOfToken, listUnresolvedReferences } from './unresolved-references.js';
import { isUploadLink, listLinkUrlsOfMessage } from './markdown-links.js';
import { addMediaPreviews } from './media-previews.js';
import { createMarkdownEnvironment, ParseContext } from './parse-context.js';
import { createMarkdownParser } from './create-markdown-parser.js';
import { defaultRealmMarkdownSettings, type RealmMarkdownRenderingSettings } from './realm-markdown-content.js';
import { findMentionedUser, createTokensOfResolvedReference } from './resolve-reference.js';
import { emptyResolvedMessageReferences, type ResolvedMessageReferences } from './resolved-names.js';

/**
 * Version number of the message renderer. The number increases when a change of the renderer produces different HTML.
 * Stored messages of older versions may be rendered again.
 */
export const rendererVersion = 2;

/** A parsed message before the database lookup of the users, channels and files that the message names. */
export interface ParsedMessage {
  readonly tokens: readonly Token[];
  /**
   * References in the message that must be looked up before rendering, such as mentions and links to channels. Empty
   * for most messages.
   */
  readonly candidates: readonly UnresolvedReference[];
  /** Target URLs of the message's links, in the order of the message. */
  readonly links: readonly string[];
  /** Paths of the uploaded files that the message links to, without duplicates. */
  readonly uploadPaths: readonly string[];
  readonly showsMedia: boolean;
}

/** Users and groups that a message notifies by mentions. Silent mentions notify no user. */
interface MentionNotificationRecipients {
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly channelWildcard: boolean;
  readonly topicWildcard: boolean;
}

/** The HTML of a message, and properties of its content. */
export interface RenderedMessage extends MentionNotificationRecipients {
  readonly html: string;
  readonly hasLink: boolean;
  readonly hasImage: boolean;
  readonly hasAttachment: boolean;
}

const imagePathPattern = /\.(bmp|gif|jpe?g|png|webp)$/i;

/**
 * Renders Markdown messages to the HTML of docs/contract/chat.md 5.9. Raw HTML is shown as text. Parsing needs no
 * database, so a caller can look up names in a transaction between parsing and rendering. Parsing and rendering have no
 * side effects.
 */
export class MessageRenderer {
  readonly #markdown: MarkdownIt = createMarkdownParser();

  /** Parses a message with the Markdown settings of the realm, and collects the mentions and links of the message. */
  parse(content: string, realm: RealmMarkdownRenderingSettings = defaultRealmMarkdownSettings): ParsedMessage {
    const tokens = this.#markdown.parse(
      replaceLoneSurrogates(content),
      createMarkdownEnvironment(new ParseContext(realm)),
    );
    const candidates = listUnresolvedReferences(tokens);
    const media = candidates.filter((candidate) => candidate.kind === 'media').map(({ path }) => path);
    const links = [...listLinkUrlsOfMessage(tokens), ...media];
    return {
      tokens,
      candidates,
      links,
      uploadPaths: [...new Set(links.filter(isUploadLink))],
      showsMedia: realm.showsMedia,
    };
  }

  /**
   * Renders a parsed message to HTML. The caller provides the users, channels and files to which the names in the
   * message refer.
   */
  render(parsed: ParsedMessage, names: ResolvedMessageReferences): RenderedMessage {
    const known = parsed.showsMedia ? names : { ...names, uploads: emptyResolvedMessageReferences.uploads };
    const resolved = addMediaPreviews(
      parsed.tokens.map((token) => resolveReferencesInToken(token, known)),
      known,
    );
    return {
      ...collectMentionRecipients(parsed.candidates, names),
      html: this.#markdown.renderer.render(resolved, this.#markdown.options, {}).trim(),
      hasLink: parsed.links.length > 0,
      hasImage: parsed.links.some((link) => imagePathPattern.test(link)),
      hasAttachment: parsed.uploadPaths.length > 0,
    };
  }

  /** Renders a Markdown text in which mentions are not resolved, such as the description of a channel. Returns HTML. */
  renderPlain(content: string): string {
    return this.render(this.parse(content), emptyResolvedMessageReferences).html;
  }
}

function resolveReferencesInToken(token: Token, names: ResolvedMessageReferences): Token {
  const { children } = token;
  if (children === null || !children.some((child) => getReferenceOfToken(child) !== undefined)) return token;
  const resolved = children.flatMap((child) => {
    const candidate = getReferenceOfToken(child);
    return candidate === undefined ? [child] : createTokensOfResolvedReference(candidate, names);
  });
  return Object.assign(Object.create(Object.getPrototypeOf(token)) as Token, token, { children: resolved });
}

function collectMentionRecipients(
  candidates: readonly UnresolvedReference[],
  names: ResolvedMessageReferences,
): MentionNotificationRecipients {
  const userIds = new Set<number>();
  const groupIds = new Set<number>();
  const kinds = new Set<UnresolvedReference['kind']>();
  for (const candidate of candidates) {
    if (!('silent' in candidate) || candidate.silent) continue;
    kinds.add(candidate.kind);
    const user = candidate.kind === 'user' ? findMentionedUser(candidate, names) : undefined;
    if (user !== undefined && user.isActive !== false) userIds.add(user.id);
    const group = candidate.kind === 'group' ? names.groups.get(candidate.name) : undefined;
    if (group !== undefined) groupIds.add(group.id);
  }
  return {
    userIds: [...userIds],
    groupIds: [...groupIds],
    channelWildcard: kinds.has('channel_wildcard'),
    topicWildcard: kinds.has('topic_wildcard'),
  };
}
