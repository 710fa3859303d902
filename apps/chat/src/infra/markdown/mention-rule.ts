import type { MarkdownIt, StateInline } from 'markdown-it';
import { type MentionReference, pushReferencePlaceholderToken } from './unresolved-references.js';

const channelWildcardMentionNames: ReadonlySet<string> = new Set(['all', 'everyone', 'channel', 'stream']);
const userMentionPattern = /@(_?)\*\*([^*\n]{1,200}?)\*\*/y;
const groupMentionPattern = /@(_?)\*([^*\n]{1,200}?)\*/y;
const trailingWordCharacterPattern = /[\p{L}\p{N}_]$/u;

/**
 * Adds the Markdown rule for mentions: `@**Name**`, `@**Name|id**`, `@*group*` and their silent forms `@_…`
 * (docs/contract/chat.md 5.9).
 */
export function addMentionRule(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('emphasis', 'chat_mention', (state, silent) => {
    if (
      state.src[state.pos] !== '@' ||
      trailingWordCharacterPattern.test(state.src.slice(Math.max(0, state.pos - 2), state.pos))
    ) {
      return false;
    }
    const found =
      matchMentionAtPosition(userMentionPattern, state) ?? matchMentionAtPosition(groupMentionPattern, state);
    if (found === undefined) return false;
    if (!silent) pushReferencePlaceholderToken(state, found.candidate);
    state.pos += found.length;
    return true;
  });
}

function matchMentionAtPosition(
  pattern: RegExp,
  state: StateInline,
): { candidate: MentionReference; length: number } | undefined {
  pattern.lastIndex = state.pos;
  const found = pattern.exec(state.src);
  if (found === null) return undefined;
  const [source, underscore, name = ''] = found;
  const silent = underscore === '_';
  const candidate: MentionReference =
    pattern === groupMentionPattern
      ? { kind: 'group', name, userId: undefined, silent }
      : { ...parseMentionName(name), silent };
  return { candidate, length: source.length };
}

function parseMentionName(name: string): Omit<MentionReference, 'silent'> {
  if (channelWildcardMentionNames.has(name)) return { kind: 'channel_wildcard', name, userId: undefined };
  if (name === 'topic') return { kind: 'topic_wildcard', name, userId: undefined };
  const withId = /^(.*)\|(\d{1,9})$/.exec(name);
  if (withId === null) return { kind: 'user', name, userId: undefined };
  return { kind: 'user', name: withId[1] ?? '', userId: Number(withId[2]) };
}
