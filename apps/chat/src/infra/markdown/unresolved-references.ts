import createMarkdown, { type StateInline, type Token } from 'markdown-it';

/**
 * A part of a message that can only be rendered with data from the database, such as a mention or a link to a channel.
 */
export type UnresolvedReference = MentionReference | ChannelLinkReference | EmoticonReference | MediaReference;

/**
 * A mention in a message: `@**Name**`, `@**Name|id**`, `@*group*`, a wildcard mention, or a silent form of a mention.
 */
export interface MentionReference {
  readonly kind: 'user' | 'group' | 'channel_wildcard' | 'topic_wildcard';
  readonly name: string;
  /**
   * User id after the name in the mention, which distinguishes users with equal names. Undefined if the mention
   * contains no id.
   */
  readonly userId: number | undefined;
  /** True if the mention is shown but notifies no user. */
  readonly silent: boolean;
}

/**
 * A link in a message to a channel, topic or message: `#**channel**`, `#**channel>topic**` or
 * `#**channel>topic@message**`.
 */
export interface ChannelLinkReference {
  readonly kind: 'channel';
  readonly channel: string;
  /** Name of the linked topic, which may be empty; null if the link refers to the channel itself. */
  readonly topic: string | null;
  readonly messageId: number | null;
}

/** An emoticon such as `:)`, which becomes an emoji if the author has enabled the conversion. */
interface EmoticonReference {
  readonly kind: 'emoticon';
  readonly text: string;
  /** Code of the emoji for the emoticon, such as `1f642`. */
  readonly code: string;
}

/**
 * An uploaded file in the form `![title](/user_uploads/…)`, which is shown inline if the file type allows an inline
 * display.
 */
interface MediaReference {
  readonly kind: 'media';
  readonly path: string;
  readonly title: string;
}

const unresolvedReferenceByToken = new WeakMap<Token, UnresolvedReference>();

/**
 * Returns a placeholder token for an unresolved reference, such as a mention. The placeholder is replaced when the
 * reference is resolved.
 */
export function createReferencePlaceholderToken(candidate: UnresolvedReference): Token {
  const token = new createMarkdown.Token('candidate', '', 0);
  unresolvedReferenceByToken.set(token, candidate);
  return token;
}

/** Appends a placeholder token for an unresolved reference at the position that an inline rule has reached. */
export function pushReferencePlaceholderToken(state: StateInline, candidate: UnresolvedReference): void {
  unresolvedReferenceByToken.set(state.push('candidate', '', 0), candidate);
}

/** Returns the unresolved reference for which a token is the placeholder. Returns undefined for other tokens. */
export function getReferenceOfToken(token: Token): UnresolvedReference | undefined {
  return unresolvedReferenceByToken.get(token);
}

/** Lists all unresolved references of a parsed message, in the order of the message. */
export function listUnresolvedReferences(tokens: readonly Token[]): UnresolvedReference[] {
  return tokens.flatMap((token) => {
    const candidate = unresolvedReferenceByToken.get(token);
    return [...(candidate === undefined ? [] : [candidate]), ...listUnresolvedReferences(token.children ?? [])];
  });
}

/** Makes the mentions in the quotes of a message silent, so that quoted mentions do not notify users again. */
export function silenceMentionsInQuotes(tokens: readonly Token[]): void {
  let depth = 0;
  for (const token of tokens) {
    if (token.tag === 'blockquote') depth += token.nesting;
    if (depth > 0) for (const child of token.children ?? []) silenceMentionOfToken(child);
  }
}

function silenceMentionOfToken(token: Token): void {
  const candidate = unresolvedReferenceByToken.get(token);
  if (candidate !== undefined && 'silent' in candidate)
    unresolvedReferenceByToken.set(token, { ...candidate, silent: true });
}
