import { badNarrow } from '../../../../errors.js';
import { flagBit } from '../../wire/message-flag-bits.js';
import { type NarrowTerm, textOperand } from './parse-narrow-terms.js';
import { topicsUnderPolicy } from '../../wire/topic-row-sql.js';

/**
 * Returns the SQL condition that a message is muted: its topic is muted, or its channel is muted and the topic is
 * neither unmuted nor followed (policies 2 and 3).
 */
export function mutedCondition(actorParameter: string): string {
  return `(${mutedTopicCondition(actorParameter)}
    OR coalesce(s.is_muted, false) AND NOT ${hasPolicyCondition(actorParameter, '<> 1')})`;
}

/** Returns the SQL condition that the topic of a message is muted, for narrows that name a channel. */
export function mutedTopicCondition(actorParameter: string): string {
  return hasPolicyCondition(actorParameter, '= 1');
}

/** Returns the SQL condition that the reader has set the topic of a message to one of the given visibility policies. */
function hasPolicyCondition(actorParameter: string, policies: string): string {
  return topicIsAmongCondition(topicsUnderPolicy(actorParameter, policies));
}

/**
 * Returns the SQL condition that the topic of a message is in a SELECT of topic ids. The SELECT is evaluated once per
 * statement. With a join instead, the planner might start with the topics.
 */
function topicIsAmongCondition(topics: string): string {
  return `coalesce(m.topic_id IN (${topics}), false)`;
}

const hasFlagCondition = (bits: number): string => `(um.flags & ${bits}) <> 0`;

/** Bits of all mention flags; the index `user_messages_mentioned_idx` covers rows with any of them. */
export const mentionBits =
  flagBit.mentioned | flagBit.group_mentioned | flagBit.stream_wildcard_mentioned | flagBit.topic_wildcard_mentioned;

/** SQL condition that the topic `t` is resolved. It equals the predicate of the index of resolved topics. */
export const resolvedTopic = `t.topic LIKE '✔ %'`;

/** SQL conditions for the operands of `is:`. A condition that needs the reader's id calls `actor`. */
const conditionByOperand = new Map<string, (actor: () => string) => string>([
  ['dm', () => hasFlagCondition(flagBit.direct)],
  ['private', () => hasFlagCondition(flagBit.direct)],
  ['starred', () => hasFlagCondition(flagBit.starred)],
  ['unread', () => `(um.flags & ${flagBit.read}) = 0`],
  ['mentioned', () => hasFlagCondition(mentionBits)],
  ['alerted', () => hasFlagCondition(flagBit.has_alert_word)],
  ['resolved', () => topicIsAmongCondition(`SELECT t.id FROM topics t WHERE ${resolvedTopic}`)],
  ['followed', (actor) => hasPolicyCondition(actor(), '= 3')],
  ['muted', (actor) => mutedCondition(actor())],
]);

/**
 * Returns the SQL condition of an `is:` term.
 *
 * @param actor returns the placeholder of the reader's id
 * @throws AppError BAD_NARROW
 */
export function isOperatorCondition(term: NarrowTerm, actor: () => string): string {
  const operand = textOperand(term);
  const condition = conditionByOperand.get(operand);
  if (condition === undefined) throw badNarrow(`unknown 'is:' term: ${operand}`);
  return condition(actor);
}
