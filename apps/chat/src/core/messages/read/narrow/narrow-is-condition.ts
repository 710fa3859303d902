import { createBadNarrowError } from '../../../../errors.js';
import { messageFlagBits } from '../../wire/message-flag-bits.js';
import { type NarrowTerm, parseTextOperand } from './parse-narrow-terms.js';
import { applyTopicsPolicySql } from '../../wire/topic-row-sql.js';

/**
 * Returns the SQL condition that a message is muted: its topic is muted, or its channel is muted and the topic is
 * neither unmuted nor followed (policies 2 and 3).
 */
export function isMutedCondition(actorParameter: string): string {
  return `(${isMutedTopicCondition(actorParameter)}
    OR coalesce(s.is_muted, false) AND NOT ${hasPolicyCondition(actorParameter, '<> 1')})`;
}

/** Returns the SQL condition that the topic of a message is muted, for narrows that name a channel. */
export function isMutedTopicCondition(actorParameter: string): string {
  return hasPolicyCondition(actorParameter, '= 1');
}

/** Returns the SQL condition that the reader has set the topic of a message to one of the given visibility policies. */
function hasPolicyCondition(actorParameter: string, policies: string): string {
  return topicIsAmongCondition(applyTopicsPolicySql(actorParameter, policies));
}

/**
 * Returns the SQL condition that the topic of a message is in a SELECT of topic ids. The SELECT is evaluated once per
 * statement. With a join instead, the planner might start with the topics.
 */
function topicIsAmongCondition(topics: string): string {
  return `coalesce(m.topic_id IN (${topics}), false)`;
}

const messageHasFlagCondition = (bits: number): string => `(um.flags & ${bits}) <> 0`;

/** Bits of all mention flags; the index `user_messages_mentioned_idx` covers rows with any of them. */
export const mentionFlagBits =
  messageFlagBits.mentioned |
  messageFlagBits.group_mentioned |
  messageFlagBits.stream_wildcard_mentioned |
  messageFlagBits.topic_wildcard_mentioned;

/** SQL condition that the topic `t` is resolved. It equals the predicate of the index of resolved topics. */
export const resolvedTopicCondition = `t.topic LIKE '✔ %'`;

/** SQL conditions for the operands of `is:`. A condition that needs the reader's id calls `actor`. */
const conditionByOperand = new Map<string, (actor: () => string) => string>([
  ['dm', () => messageHasFlagCondition(messageFlagBits.direct)],
  ['private', () => messageHasFlagCondition(messageFlagBits.direct)],
  ['starred', () => messageHasFlagCondition(messageFlagBits.starred)],
  ['unread', () => `(um.flags & ${messageFlagBits.read}) = 0`],
  ['mentioned', () => messageHasFlagCondition(mentionFlagBits)],
  ['alerted', () => messageHasFlagCondition(messageFlagBits.has_alert_word)],
  ['resolved', () => topicIsAmongCondition(`SELECT t.id FROM topics t WHERE ${resolvedTopicCondition}`)],
  ['followed', (actor) => hasPolicyCondition(actor(), '= 3')],
  ['muted', (actor) => isMutedCondition(actor())],
]);

/**
 * Returns the SQL condition of an `is:` term.
 *
 * @param actor returns the placeholder of the reader's id
 * @throws AppError BAD_NARROW
 */
export function isOperatorCondition(term: NarrowTerm, actor: () => string): string {
  const operand = parseTextOperand(term);
  const condition = conditionByOperand.get(operand);
  if (condition === undefined) throw createBadNarrowError(`unknown 'is:' term: ${operand}`);
  return condition(actor);
}
