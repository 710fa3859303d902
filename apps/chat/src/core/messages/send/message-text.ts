import { badRequest } from '../../../errors.js';
import { limitFields } from '../../realms/index.js';
import { meantTopic } from '../../../events/empty-topic.js';

const { max_message_length: maxMessageLength, max_topic_length: maxTopicLength } = limitFields;

const cut = '\n[message truncated]';

/**
 * The content as it is stored: without blank lines before it or blanks after it, cut to the limit
 * (docs/contract/chat.md 5.2).
 *
 * @throws AppError BAD_REQUEST when nothing is left.
 */
export function messageContent(sent: string): string {
  const content = sent.replace(/^\n+/, '').trimEnd();
  if (content === '') throw badRequest('Message must not be empty');
  return truncatedContent(content);
}

/** The content, cut to the limit of messages. */
export function truncatedContent(content: string): string {
  // Code points are never more than code units: most messages need no count.
  if (content.length <= maxMessageLength) return content;
  const points = [...content];
  if (points.length <= maxMessageLength) return content;
  return points.slice(0, maxMessageLength - cut.length).join('') + cut;
}

/** The topic as it is stored: trimmed, cut to the limit, and empty under any of the names that mean so. */
export function messageTopic(sent: string | undefined): string {
  const topic = meantTopic(sent?.trim() ?? '');
  const points = [...topic];
  return points.length <= maxTopicLength ? topic : `${points.slice(0, maxTopicLength - 3).join('')}...`;
}

/** {@link messageTopic} of messages that are sent or moved there. @throws AppError BAD_REQUEST for control characters */
export function newTopic(sent: string | undefined): string {
  const topic = messageTopic(sent);
  const invalid = [...topic].findIndex((character) => /[\p{Cc}\p{Cs}\p{Cn}]/u.test(character));
  if (invalid >= 0) throw badRequest(`Invalid character in topic, at position ${invalid + 1}!`);
  return topic;
}

/** Returns true for a `/me` message: `/me` before a single paragraph. */
export function isMeMessage(content: string): boolean {
  return content.startsWith('/me ') && !content.includes('\n\n');
}
