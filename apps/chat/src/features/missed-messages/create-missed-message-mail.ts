import type { UnencryptedMail } from '../../infra/mail/index.js';
import { emptyTopicName } from '../../events/empty-topic-name.js';
import type { MissedMessage } from './missed-messages.repository.js';

/**
 * Maximum number of messages that one missed-message email shows. The email shows only the number of further messages.
 */
const maxMessagesPerMissedMail = 50;

/** Groups missed messages into one email per user and conversation, oldest messages first. */
export function groupIntoMissedMails(messages: readonly MissedMessage[]): UnencryptedMail[] {
  const byConversation = new Map<string, MissedMessage[]>();
  for (const message of messages) {
    const key = JSON.stringify([message.userId, message.recipientId, message.topicKey]);
    const alike = byConversation.get(key);
    if (alike === undefined) byConversation.set(key, [message]);
    else alike.push(message);
  }
  return [...byConversation.values()].flatMap(createMissedMail);
}

function createMissedMail(messages: readonly MissedMessage[]): UnencryptedMail[] {
  const newest = messages.at(-1);
  if (newest === undefined) return [];
  const { email: to, realm, namesRealm, showsContent } = newest;
  const subject = showsContent ? formatConversationName(newest) : 'New messages';
  const text = showsContent ? formatMessageTexts(messages) : createHiddenContentText(messages.length);
  const footer = `You get this mail for having been away from ${realm}. Replies to this email are not read.\n`;
  return [{ to, subject: namesRealm ? `[${realm}] ${subject}` : subject, text: `${text}\n--\n${footer}` }];
}

function formatConversationName({ channel, topic, others }: MissedMessage): string {
  if (channel !== null) return `#${channel} > ${topic === '' ? emptyTopicName : topic}`;
  return `Direct messages with ${others.join(', ')}`;
}

function formatMessageTexts(messages: readonly MissedMessage[]): string {
  const shown = messages.slice(0, maxMessagesPerMissedMail).map(({ sender, content }) => `${sender}:\n${content}\n`);
  const more = messages.length - shown.length;
  return [...shown, ...(more > 0 ? [`And ${more} more.\n`] : [])].join('\n');
}

function createHiddenContentText(count: number): string {
  return `You have ${count} new ${count === 1 ? 'message' : 'messages'}. This email does not include their text.\n`;
}
