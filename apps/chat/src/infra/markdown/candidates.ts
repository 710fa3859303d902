import createMarkdown, { type StateInline, type Token } from 'markdown-it';

/** Something in a message whose meaning only the database knows: whom a mention names, where a link leads. */
export type Candidate = MentionCandidate | ChannelCandidate | EmoticonCandidate | MediaCandidate;

/** `@**Name**`, `@**Name|id**`, `@*group*`, a wildcard, and the silent forms of these. */
export interface MentionCandidate {
  readonly kind: 'user' | 'group' | 'channel_wildcard' | 'topic_wildcard';
  readonly name: string;
  /** Given after the name of a user, to tell namesakes apart. */
  readonly userId: number | undefined;
  /** Shown as a mention, but nobody is notified. */
  readonly silent: boolean;
}

/** `#**channel**`, `#**channel>topic**` or `#**channel>topic@message**`. */
export interface ChannelCandidate {
  readonly kind: 'channel';
  readonly channel: string;
  /** The empty topic is a topic; null for a link to the channel. */
  readonly topic: string | null;
  readonly messageId: number | null;
}

/** `:)` and the like: an emoji for whoever has them translated. */
interface EmoticonCandidate {
  readonly kind: 'emoticon';
  readonly text: string;
  /** Code of the emoji, such as `1f642`. */
  readonly code: string;
}

/** `![title](/user_uploads/…)`: shown in its place once its file is known. */
interface MediaCandidate {
  readonly kind: 'media';
  readonly path: string;
  readonly title: string;
}

const candidates = new WeakMap<Token, Candidate>();

/** A token that stands for a candidate until it is resolved. */
export function candidateToken(candidate: Candidate): Token {
  const token = new createMarkdown.Token('candidate', '', 0);
  candidates.set(token, candidate);
  return token;
}

/** Lets an inline rule put a candidate where it stands. */
export function pushCandidate(state: StateInline, candidate: Candidate): void {
  candidates.set(state.push('candidate', '', 0), candidate);
}

/** Returns the candidate of a token; undefined for all other tokens. */
export function candidateOf(token: Token): Candidate | undefined {
  return candidates.get(token);
}

/** Every candidate of a parsed message, in order. */
export function candidatesIn(tokens: readonly Token[]): Candidate[] {
  return tokens.flatMap((token) => {
    const candidate = candidates.get(token);
    return [...(candidate === undefined ? [] : [candidate]), ...candidatesIn(token.children ?? [])];
  });
}

/** Makes the mentions in quotes silent: they are shown and notify no user again. */
export function silenceQuotes(tokens: readonly Token[]): void {
  let depth = 0;
  for (const token of tokens) {
    if (token.tag === 'blockquote') depth += token.nesting;
    if (depth > 0) for (const child of token.children ?? []) silence(child);
  }
}

function silence(token: Token): void {
  const candidate = candidates.get(token);
  if (candidate !== undefined && 'silent' in candidate) candidates.set(token, { ...candidate, silent: true });
}
