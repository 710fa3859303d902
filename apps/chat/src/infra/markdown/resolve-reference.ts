import type { Token } from 'markdown-it';
import { textKey } from '../normalized-text-key.js';
import type { UnresolvedReference, ChannelLinkReference, MentionReference } from './unresolved-references.js';
import { channelPath } from './channel-links.js';
import { emojiOfCode } from './emoji-rules.js';
import { inlineMedia } from './media-previews.js';
import { type ResolvedNames, topicKeyOf } from './resolved-names.js';
import { elementTokens, linkTokens, textToken } from './create-markdown-tokens.js';

/** Name that clients show for the empty topic (docs/contract/chat.md 4.3). */
const emptyTopicName = 'general chat';

/** Returns the tokens of the object that a candidate refers to, or of its source text if there is none. */
export function resolveReference(candidate: UnresolvedReference, names: ResolvedNames): Token[] {
  switch (candidate.kind) {
    case 'channel':
      return channelTokens(candidate, names) ?? unresolvedChannel(candidate);
    case 'emoticon':
      return names.translatesEmoticons ? emojiOfCode(candidate.code) : [textToken(candidate.text)];
    case 'media': {
      const media = names.uploads.get(candidate.path);
      const tokens = media && inlineMedia(candidate.path, candidate.title, media);
      return tokens ?? linkTokens(candidate.path, candidate.title || candidate.path);
    }
    default:
      return mentionTokens(candidate, names) ?? unresolvedMention(candidate);
  }
}

/** Returns the user to whom a mention refers. With an id, the name must be that of the user or empty. */
export function findMentionedUser({ name, userId }: MentionReference, names: ResolvedNames) {
  if (userId === undefined) return names.users.get(name);
  const user = names.users.get(`|${userId}`);
  return user !== undefined && (name === '' || name === user.fullName) ? user : undefined;
}

function mentionTokens(candidate: MentionReference, names: ResolvedNames): Token[] | undefined {
  const user = candidate.kind === 'user' ? findMentionedUser(candidate, names) : undefined;
  const silent = candidate.silent || user?.isActive === false;
  const span = (className: string, data: Record<string, string>, name: string) =>
    elementTokens(
      'span',
      { class: silent ? `${className} silent` : className, ...data },
      textToken(silent ? name : `@${name}`),
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
 * Returns the tokens of a mention that refers to no user or group: its text, in which the asterisks become emphasis.
 */
function unresolvedMention({ kind, name, userId, silent }: MentionReference): Token[] {
  const written = userId === undefined ? name : `${name}|${userId}`;
  const tag = kind === 'group' ? 'em' : 'strong';
  return [textToken(silent ? '@_' : '@'), ...elementTokens(tag, {}, textToken(written))];
}

function channelTokens(
  { channel: name, topic, messageId }: ChannelLinkReference,
  names: ResolvedNames,
): Token[] | undefined {
  const channel = names.channels.get(textKey(name));
  if (channel === undefined) return undefined;
  const id = String(channel.id);
  if (topic === null) {
    const href = channelPath(channel, null);
    return elementTokens('a', { class: 'stream', 'data-stream-id': id, href }, textToken(`#${channel.name}`));
  }
  const text = [
    textToken(`#${channel.name} > `),
    ...(topic === '' ? elementTokens('em', {}, textToken(emptyTopicName)) : [textToken(topic)]),
  ];
  if (messageId !== null) {
    const href = channelPath(channel, topic, { operator: 'near', messageId });
    return elementTokens('a', { class: 'message-link', href }, ...text, textToken(' @ 💬'));
  }
  const newest = names.topics.get(topicKeyOf(channel.id, textKey(topic)));
  const href = channelPath(channel, topic, newest && { operator: 'with', messageId: newest.messageId });
  return elementTokens('a', { class: 'stream-topic', 'data-stream-id': id, href }, ...text);
}

function unresolvedChannel({ channel, topic, messageId }: ChannelLinkReference): Token[] {
  const place = topic === null ? channel : `${channel}>${topic}`;
  return [
    textToken('#'),
    ...elementTokens('strong', {}, textToken(messageId === null ? place : `${place}@${messageId}`)),
  ];
}
