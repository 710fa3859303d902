import type { MarkdownIt, StateInline, Token } from 'markdown-it';

/** Whom a mention may name. */
export type MentionTarget =
  | { readonly kind: 'user'; readonly name: string; readonly userId: number | undefined }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'channel_wildcard'; readonly name: string }
  | { readonly kind: 'topic_wildcard'; readonly name: string };

/** A mention as it stands in a parsed message, not yet known to name anybody. */
export interface MentionCandidate {
  readonly target: MentionTarget;
  /** Shown as a mention, but nobody is notified. */
  readonly silent: boolean;
  readonly source: string;
  readonly tokens: { readonly open: Token; readonly text: Token; readonly close: Token };
}

const channelWildcards: ReadonlySet<string> = new Set(['all', 'everyone', 'channel', 'stream']);
const user = /@(_?)\*\*([^*\n]{1,200}?)\*\*/y;
const group = /@(_?)\*([^*\n]{1,200}?)\*/y;
const wordBefore = /[\p{L}\p{N}_]$/u;

/** Recognises `@**Name**`, `@**Name|id**`, `@*group*` and their silent forms `@_…` (chat-contract 5.9). */
export function mentions(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('emphasis', 'chat_mention', (state, silent) => {
    if (state.src[state.pos] !== '@' || wordBefore.test(state.src.slice(Math.max(0, state.pos - 2), state.pos))) {
      return false;
    }
    const found = match(user, state) ?? match(group, state);
    if (found === undefined) return false;
    if (!silent) push(state, found);
    state.pos += found.source.length;
    return true;
  });
}

/** Every mention of a parsed message, in order. */
export function mentionsIn(tokens: readonly Token[]): MentionCandidate[] {
  return tokens.flatMap((token) => [...candidateOf(token), ...mentionsIn(token.children ?? [])]);
}

const candidates = new WeakMap<Token, MentionCandidate>();

function candidateOf(token: Token): MentionCandidate[] {
  const candidate = candidates.get(token);
  return candidate === undefined ? [] : [candidate];
}

interface Found {
  readonly target: MentionTarget;
  readonly silent: boolean;
  readonly source: string;
}

function match(pattern: RegExp, state: StateInline): Found | undefined {
  pattern.lastIndex = state.pos;
  const found = pattern.exec(state.src);
  if (found === null) return undefined;
  const [source, underscore, name = ''] = found;
  return { source, silent: underscore === '_', target: pattern === group ? { kind: 'group', name } : target(name) };
}

function target(name: string): MentionTarget {
  if (channelWildcards.has(name)) return { kind: 'channel_wildcard', name };
  if (name === 'topic') return { kind: 'topic_wildcard', name };
  const withId = /^(.*)\|(\d{1,9})$/.exec(name);
  if (withId === null) return { kind: 'user', name, userId: undefined };
  return { kind: 'user', name: withId[1] ?? '', userId: Number(withId[2]) };
}

function push(state: StateInline, found: Found): void {
  const open = state.push('mention_open', 'span', 1);
  const text = state.push('text', '', 0);
  text.content = found.source;
  const close = state.push('mention_close', 'span', -1);
  candidates.set(open, { ...found, tokens: { open, text, close } });
}
