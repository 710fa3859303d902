import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { getDisplayedEmail } from '../../access/email-visibility.js';
import { createBadRequestError } from '../../../errors.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import { parseRequestedTopicName } from '../../../events/empty-topic-name.js';
import { messageFlagBits } from '../wire/message-flag-bits.js';
import type { MessageRecord } from '../wire/message-record-schema.js';

/** Channel and topic of the messages of a conversation. The channel of direct messages is null. */
interface MessageConversation {
  readonly channel: { readonly name: string } | null;
  readonly topic: string;
}

type NarrowConversationMatcher = (operand: string, conversation: MessageConversation) => boolean;

type NarrowMessageMatcher = (operand: string, message: MessageRecord, flags: number, viewer: ChatActor) => boolean;

const equalsIgnoringCase = (a: string, b: string): boolean =>
  normalizeTextForComparison(a) === normalizeTextForComparison(b);

/**
 * Functions by operator of a narrow (filter) term. Each function checks a term that has the same result for all
 * messages of a conversation.
 */
const conversationMatcherByNarrowOperator: ReadonlyMap<string, NarrowConversationMatcher> =
  createNarrowMatcherMap<NarrowConversationMatcher>({
    channel: (operand, { channel }) => channel !== null && equalsIgnoringCase(channel.name, operand),
    topic: (operand, { channel, topic }) =>
      channel !== null && equalsIgnoringCase(topic, parseRequestedTopicName(operand)),
    'is:dm': (_operand, { channel }) => channel === null,
    'is:private': (_operand, { channel }) => channel === null,
    'is:resolved': (_operand, { channel, topic }) => channel !== null && topic.startsWith('✔ '),
  });

const messageMatcherByNarrowOperator: ReadonlyMap<string, NarrowMessageMatcher> =
  createNarrowMatcherMap<NarrowMessageMatcher>({
    sender: (operand, { sender }, _flags, viewer) => equalsIgnoringCase(getDisplayedEmail(viewer, sender), operand),
    'is:starred': (_operand, _message, flags) => (flags & messageFlagBits.starred) !== 0,
    'is:unread': (_operand, _message, flags) => (flags & messageFlagBits.read) === 0,
    'is:mentioned': (_operand, _message, flags) =>
      (flags & (messageFlagBits.mentioned | messageFlagBits.group_mentioned)) !== 0,
    'is:alerted': (_operand, _message, flags) => (flags & messageFlagBits.has_alert_word) !== 0,
  });

const queueNarrowOperatorAliases: ReadonlyMap<string, string> = new Map([
  ['stream', 'channel'],
  ['subject', 'topic'],
]);

/**
 * Converts an object with the matching functions of narrow operators to a Map. A Map prevents inherited property names
 * of objects from being mistaken for operators.
 */
function createNarrowMatcherMap<M>(byName: Readonly<Record<string, M>>): ReadonlyMap<string, M> {
  return new Map(Object.entries(byName));
}

/**
 * Returns the function that compares one narrow term with conversations or with messages, and whether the term is
 * negated. Both functions are undefined for a term that event queues do not support.
 */
function findMatcherOfNarrowTerm(operator: string, operand: string) {
  const isNegated = operator.startsWith('-');
  const name = (isNegated ? operator.slice(1) : operator).toLowerCase();
  const term = name === 'is' ? `is:${operand.toLowerCase()}` : (queueNarrowOperatorAliases.get(name) ?? name);
  return {
    isNegated,
    ofConversation: conversationMatcherByNarrowOperator.get(term),
    ofMessage: messageMatcherByNarrowOperator.get(term),
  };
}

/**
 * Checks that event queues support all terms of a narrow (filter).
 *
 * @throws ApplicationError BAD_REQUEST that names an unsupported operator
 */
export function checkEventQueueNarrow(narrow: readonly (readonly [string, string])[]): void {
  for (const [operator, operand] of narrow) {
    const { ofConversation, ofMessage } = findMatcherOfNarrowTerm(operator, operand);
    if ((ofConversation ?? ofMessage) === undefined) throw createBadRequestError(`Operator ${operator} not supported.`);
  }
}

/**
 * Returns true if a message event matches the narrow (filter) of an event queue (docs/contract/chat.md 3.2). Compares
 * names and email addresses without regard to letter case.
 */
export function isEventMatchingQueueNarrow(
  narrow: readonly (readonly [string, string])[],
  message: MessageRecord,
  flags: number,
  viewer: ChatActor,
): boolean {
  return narrow.every(([operator, operand]) => {
    const { isNegated, ofConversation, ofMessage } = findMatcherOfNarrowTerm(operator, operand);
    if (ofConversation !== undefined) return ofConversation(operand, message) !== isNegated;
    return ofMessage === undefined || ofMessage(operand, message, flags, viewer) !== isNegated;
  });
}

/**
 * Returns true if existing messages match the terms of a narrow that concern their conversation: `channel`, `topic`,
 * `is:dm` and `is:resolved`. Ignores other terms, such as `sender`.
 */
export function areMessagesMatchingConversationTerms(
  narrow: readonly (readonly [string, string])[],
  conversation: MessageConversation,
): boolean {
  return narrow.every(([operator, operand]) => {
    const { isNegated, ofConversation } = findMatcherOfNarrowTerm(operator, operand);
    return ofConversation === undefined || ofConversation(operand, conversation) !== isNegated;
  });
}
