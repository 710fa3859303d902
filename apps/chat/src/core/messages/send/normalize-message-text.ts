import { createBadRequestError } from '../../../errors.js';
import { serverLimitSnapshotFields } from '../../realms/index.js';
import { parseRequestedTopicName } from '../../../events/empty-topic-name.js';

const { max_message_length: maxMessageLength, max_topic_length: maxTopicLength } = serverLimitSnapshotFields;

const messageTruncationNotice = '\n[message truncated]';

/**
 * Returns the content of a message as stored: without blank lines at the start and blanks at the end, cut to the limit
 * (docs/contract/chat.md 5.2).
 *
 * @throws ApplicationError BAD_REQUEST when the content is empty
 */
export function normalizeMessageContent(sent: string): string {
  const content = sent.replace(/^\n+/, '').trimEnd();
  if (content === '') throw createBadRequestError('Message must not be empty');
  return truncateMessageContent(content);
}

/**
 * Returns a text that is shortened to a maximum length. A shortened text ends with a notice.
 *
 * @param limit maximum length in code points. Default: the maximum length of a message. Callers that add further text
 * to the message pass a smaller number.
 */
export function truncateMessageContent(content: string, limit: number = maxMessageLength): string {
  // A text has at most as many code points as code units, so most messages need no count.
  if (content.length <= limit) return content;
  const points = [...content];
  if (points.length <= limit) return content;
  return points.slice(0, limit - messageTruncationNotice.length).join('') + messageTruncationNotice;
}

/**
 * Returns the topic of a message in its stored form: without blanks at the ends, and shortened to the maximum length.
 * Any name of the empty topic becomes an empty string.
 */
export function normalizeMessageTopic(sent: string | undefined): string {
  const topic = parseRequestedTopicName(sent?.trim() ?? '');
  const points = [...topic];
  return points.length <= maxTopicLength ? topic : `${points.slice(0, maxTopicLength - 3).join('')}...`;
}

/**
 * Returns the stored form of the topic of a message that is sent or moved, see {@link normalizeMessageTopic}.
 *
 * @throws ApplicationError BAD_REQUEST for control characters
 */
export function normalizeTopicForSending(sent: string | undefined): string {
  const topic = normalizeMessageTopic(sent);
  const invalid = [...topic].findIndex((character) => /[\p{Cc}\p{Cs}\p{Cn}]/u.test(character));
  if (invalid >= 0) throw createBadRequestError(`Invalid character in topic, at position ${invalid + 1}!`);
  return topic;
}

/** Returns true if a message is a `/me` message, which consists of `/me` and a single paragraph. */
export function isMeMessage(content: string): boolean {
  return content.startsWith('/me ') && !content.includes('\n\n');
}
