import type { Token } from 'markdown-it';
import { normalizeTextForComparison } from '../normalized-text-key.js';
import type { UnresolvedReference, ChannelLinkReference, MentionReference } from './unresolved-references.js';
import { getChannelWebUrlPath } from './channel-links.js';
import { createTokensForEmojiCode } from './emoji-rules.js';
import { createInlineMediaTokens } from './media-previews.js';
import { type ResolvedMessageReferences, createTopicKey } from './resolved-names.js';
import { createElementTokens, createLinkTokens, createTextToken } from './create-markdown-tokens.js';

/** Name that clients show for the topic with the empty name (docs/contract/chat.md 4.3). */
const emptyTopicDisplayName = 'general chat';

/**
 * Returns the markdown-it tokens for an unresolved reference, such as a mention, with the looked-up object. Returns
 * tokens of the source text if the object does not exist.
 */
export function createTokensOfResolvedReference(
  candidate: UnresolvedReference,
  names: ResolvedMessageReferences,
): Token[] {
  switch (candidate.kind) {
    case 'channel':
      return createChannelLinkTokens(candidate, names) ?? createUnresolvedChannelLinkTokens(candidate);
    case 'emoticon':
      return names.translatesEmoticons ? createTokensForEmojiCode(candidate.code) : [createTextToken(candidate.text)];
    case 'media': {
      const media = names.uploads.get(candidate.path);
      const tokens = media && createInlineMediaTokens(candidate.path, candidate.title, media);
      return tokens ?? createLinkTokens(candidate.path, candidate.title || candidate.path);
    }
    default:
      return createMentionTokens(candidate, names) ?? createUnresolvedMentionTokens(candidate);
  }
}

/**
 * Returns the user to whom a mention in a message refers. If the mention has an id, its name must be empty or the name
 * of the user.
 */
export function findMentionedUser({ name, userId }: MentionReference, names: ResolvedMessageReferences) {
  if (userId === undefined) return names.users.get(name);
  const user = names.users.get(`|${userId}`);
  return user !== undefined && (name === '' || name === user.fullName) ? user : undefined;
}

function createMentionTokens(candidate: MentionReference, names: ResolvedMessageReferences): Token[] | undefined {
  const user = candidate.kind === 'user' ? findMentionedUser(candidate, names) : undefined;
  const silent = candidate.silent || user?.isActive === false;
  const span = (className: string, data: Record<string, string>, name: string) =>
    createElementTokens(
      'span',
      { class: silent ? `${className} silent` : className, ...data },
      createTextToken(silent ? name : `@${name}`),
    );
  switch (candidate.kind) {
    case 'channel_wildcard':
      return span('user-mention channel-wildcard-mention', { 'data-user-id': '*' }, candidate.name);
    case 'topic_wildcard':
      return span('topic-mention', {}, candidate.name);
    case 'group': {
      const group = names.groups.get(candidate.name);
      return group && span('user-group-mention', { 'data-user-group-id': String(group.id) }, group.name);
    }
    case 'user':
      return user && span('user-mention', { 'data-user-id': String(user.id) }, user.fullName);
  }
}

/**
 * Returns the markdown-it tokens of a mention that refers to no user or group. The tokens show the mention's text with
 * emphasis in place of the asterisks.
 */
function createUnresolvedMentionTokens({ kind, name, userId, silent }: MentionReference): Token[] {
  const written = userId === undefined ? name : `${name}|${userId}`;
  const tag = kind === 'group' ? 'em' : 'strong';
  return [createTextToken(silent ? '@_' : '@'), ...createElementTokens(tag, {}, createTextToken(written))];
}

function createChannelLinkTokens(
  { channel: name, topic, messageId }: ChannelLinkReference,
  names: ResolvedMessageReferences,
): Token[] | undefined {
  const channel = names.channels.get(normalizeTextForComparison(name));
  if (channel === undefined) return undefined;
  const id = String(channel.id);
  if (topic === null) {
    const href = getChannelWebUrlPath(channel, null);
    return createElementTokens(
      'a',
      { class: 'stream', 'data-stream-id': id, href },
      createTextToken(`#${channel.name}`),
    );
  }
  const text = [
    createTextToken(`#${channel.name} > `),
    ...(topic === ''
      ? createElementTokens('em', {}, createTextToken(emptyTopicDisplayName))
      : [createTextToken(topic)]),
  ];
  if (messageId !== null) {
    const href = getChannelWebUrlPath(channel, topic, { operator: 'near', messageId });
    return createElementTokens('a', { class: 'message-link', href }, ...text, createTextToken(' @ 💬'));
  }
  const newest = names.topics.get(createTopicKey(channel.id, normalizeTextForComparison(topic)));
  const href = getChannelWebUrlPath(channel, topic, newest && { operator: 'with', messageId: newest.messageId });
  return createElementTokens('a', { class: 'stream-topic', 'data-stream-id': id, href }, ...text);
}

function createUnresolvedChannelLinkTokens({ channel, topic, messageId }: ChannelLinkReference): Token[] {
  const place = topic === null ? channel : `${channel}>${topic}`;
  return [
    createTextToken('#'),
    ...createElementTokens('strong', {}, createTextToken(messageId === null ? place : `${place}@${messageId}`)),
  ];
}
