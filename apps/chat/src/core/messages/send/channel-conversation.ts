import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../../errors.js';
import type { RenderedMessage } from '../../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import { subscriberCountSql } from '../../channels/index.js';
import { type ChannelDestination, getChannelDestination } from './channel-destination.repository.js';
import { lockChannelForSend, RestartSendError, type ChannelSendLock } from './channel-recipients.repository.js';
import type { MessageConversationTarget } from './message-conversation.js';
import type { ChannelReference } from './parse-recipients.js';
import { isMessageInTopicSql } from '../read/narrow/message-id-index-ranges.js';
import { topicIdSql } from '../topics/topic-row-sql.js';

/** Recipient row and channel of a message with a wildcard mention. */
interface WildcardMentionTarget {
  readonly recipientId: number;
  readonly channel: { readonly id: number };
}

/**
 * Maximum number of recipients of a wildcard mention for which the sender needs no permission (docs/contract/chat.md
 * 5.2).
 */
const maxWildcardRecipientsWithoutPermission = 15;

/**
 * Returns the channel and topic of a message after checking the rules of the channel. Locks the channel and the sender.
 * @throws ApplicationError as `getChannelDestination` does; BAD_REQUEST for a topic that the channel does not accept;
 * STREAM_WILDCARD_MENTION_NOT_ALLOWED, TOPIC_WILDCARD_MENTION_NOT_ALLOWED; RestartSendError
 */
export async function lockAndGetChannelConversation(
  tx: Tx,
  actor: ChatActor,
  reference: ChannelReference,
  sentTopic: string,
  rendered: RenderedMessage,
  lock: ChannelSendLock,
): Promise<MessageConversationTarget> {
  const [lockedIds, destination] = await Promise.all([
    lockChannelForSend(tx, actor, reference, lock),
    getChannelDestination(tx, actor, reference),
  ]);
  // While this transaction waited for the locks, the name was given to another channel.
  if (!lockedIds.has(destination.channel.id)) throw new RestartSendError(lock);
  return createLockedChannelConversation(tx, destination, sentTopic, rendered);
}

/**
 * Returns the conversation of a message. The transaction must have locked the channel and the sender before the
 * destination was read.
 *
 * @throws ApplicationError as {@link checkChannelMessage} does
 */
export async function createLockedChannelConversation(
  tx: Tx,
  destination: ChannelDestination,
  sentTopic: string,
  rendered: RenderedMessage,
): Promise<MessageConversationTarget> {
  const topic = await checkChannelMessage(tx, destination, sentTopic, rendered);
  const { recipientId, realm, sender, channel, isPublic } = destination;
  return { recipientId, realm, sender, channel, isPublic, topic, participants: [] };
}

/**
 * Checks a message against the rules of its channel for topics and wildcard mentions. Returns the topic of the message.
 *
 * @throws ApplicationError BAD_REQUEST for a topic that the channel does not accept;
 * STREAM_WILDCARD_MENTION_NOT_ALLOWED, TOPIC_WILDCARD_MENTION_NOT_ALLOWED
 */
export async function checkChannelMessage(
  tx: Tx,
  destination: ChannelDestination,
  sentTopic: string,
  rendered: RenderedMessage,
): Promise<string> {
  const topic = checkEmptyTopicPolicy(sentTopic, destination.topicsPolicy);
  if (!destination.mayCreateTopics && !(await doesTopicExist(tx, destination, topic))) {
    throw createBadRequestError('You do not have permission to create new topics in this channel.');
  }
  if (!destination.mayMentionMany) await rejectLargeWildcardMention(tx, destination, topic, rendered);
  return topic;
}

/**
 * Returns the topic of a message if the channel's policy accepts it.
 *
 * @throws ApplicationError BAD_REQUEST for the empty topic in a channel that requires topics
 */
export function checkEmptyTopicPolicy(topic: string, policy: string): string {
  if (policy === 'empty_topic_only') return '';
  if (topic === '' && policy === 'disable_empty_topic') {
    throw createBadRequestError('Topics are required in this organization.');
  }
  return topic;
}

/** Returns true if the channel contains a message with the given topic. */
export async function doesTopicExist(
  tx: Tx,
  destination: Pick<ChannelDestination, 'recipientId'>,
  topic: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM messages m WHERE ${isMessageInTopicSql(topicIdSql('$1', '$2'))} ORDER BY m.topic_id, m.id LIMIT 1`,
    [destination.recipientId, normalizeTextForComparison(topic)],
  );
  return rowCount > 0;
}

/**
 * Throws if a message has a wildcard mention with more recipients than its sender is allowed to mention.
 *
 * @throws ApplicationError STREAM_WILDCARD_MENTION_NOT_ALLOWED, TOPIC_WILDCARD_MENTION_NOT_ALLOWED
 */
export async function rejectLargeWildcardMention(
  tx: Tx,
  destination: WildcardMentionTarget,
  topic: string,
  rendered: RenderedMessage,
): Promise<void> {
  if (
    rendered.channelWildcard &&
    (await countActiveChannelSubscribers(tx, destination)) > maxWildcardRecipientsWithoutPermission
  ) {
    throw chatErrors.create('STREAM_WILDCARD_MENTION_NOT_ALLOWED');
  }
  if (
    rendered.topicWildcard &&
    (await countTopicParticipants(tx, destination, topic)) > maxWildcardRecipientsWithoutPermission
  ) {
    throw chatErrors.create('TOPIC_WILDCARD_MENTION_NOT_ALLOWED');
  }
}

async function countActiveChannelSubscribers(tx: Tx, { channel }: WildcardMentionTarget): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(`SELECT ${subscriberCountSql('$1')} AS count`, [channel.id]);
  return rows[0]?.count ?? 0;
}

async function countTopicParticipants(tx: Tx, { recipientId }: WildcardMentionTarget, topic: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(DISTINCT sender_id) AS count FROM messages WHERE topic_id = ${topicIdSql('$1', '$2')}`,
    [recipientId, normalizeTextForComparison(topic)],
  );
  return rows[0]?.count ?? 0;
}
