import { createBadNarrowError } from '../../../../errors.js';
import { messageFlagBits } from '../../wire/message-flag-bits.js';
import { type NarrowTerm, parseTextOperand } from './parse-narrow-terms.js';
import { selectTopicsWithPolicySql } from '../../topics/topic-row-sql.js';

/**
 * Returns the SQL condition that a message is muted. The topic of the message is muted, or the channel is muted and the
 * topic is neither unmuted nor followed (policies 2 and 3).
 */
export function createMutedCondition(actorParameter: string): string {
  return `(${createMutedTopicCondition(actorParameter)}
    OR coalesce(s.is_muted, false) AND NOT ${createTopicPolicyCondition(actorParameter, '<> 1')})`;
}

/** Returns the SQL condition that the topic of a message is muted. Used for narrows (filters) that name a channel. */
export function createMutedTopicCondition(actorParameter: string): string {
  return createTopicPolicyCondition(actorParameter, '= 1');
}

/** Returns the SQL condition that the reader has set the topic of a message to one of the given visibility policies. */
function createTopicPolicyCondition(actorParameter: string, policies: string): string {
  return createTopicInListCondition(selectTopicsWithPolicySql(actorParameter, policies));
}

/**
 * Returns the SQL condition that the topic of a message is in the result of a SELECT of topic ids. The statement
 * evaluates the SELECT once. With a join instead, the planner might read the topics first.
 */
function createTopicInListCondition(topics: string): string {
  return `coalesce(m.topic_id IN (${topics}), false)`;
}

const createMessageFlagCondition = (bits: number): string => `(um.flags & ${bits}) <> 0`;

/**
 * Bits of all flags for mentions. The index `user_messages_mentioned_idx` covers the rows that have at least one of
 * these flags.
 */
export const mentionFlagBits =
  messageFlagBits.mentioned |
  messageFlagBits.group_mentioned |
  messageFlagBits.stream_wildcard_mentioned |
  messageFlagBits.topic_wildcard_mentioned;

/**
 * SQL condition that the topic `t` is resolved. The text equals the predicate of the database index of resolved topics,
 * so that PostgreSQL can use the index.
 */
export const isTopicResolvedSql = `t.topic LIKE '✔ %'`;

/** SQL conditions of the narrow operator `is:`, by operand. A condition that needs the reader's id calls `actor`. */
const conditionByIsOperand = new Map<string, (actor: () => string) => string>([
  ['dm', () => createMessageFlagCondition(messageFlagBits.direct)],
  ['private', () => createMessageFlagCondition(messageFlagBits.direct)],
  ['starred', () => createMessageFlagCondition(messageFlagBits.starred)],
  ['unread', () => `(um.flags & ${messageFlagBits.read}) = 0`],
  ['mentioned', () => createMessageFlagCondition(mentionFlagBits)],
  ['alerted', () => createMessageFlagCondition(messageFlagBits.has_alert_word)],
  ['resolved', () => createTopicInListCondition(`SELECT t.id FROM topics t WHERE ${isTopicResolvedSql}`)],
  ['followed', (actor) => createTopicPolicyCondition(actor(), '= 3')],
  ['muted', (actor) => createMutedCondition(actor())],
]);

/**
 * Returns the SQL condition of a narrow term with the operator `is:`.
 *
 * @param actor returns the placeholder of the reader's id
 * @throws ApplicationError BAD_NARROW
 */
export function createIsOperatorCondition(term: NarrowTerm, actor: () => string): string {
  const operand = parseTextOperand(term);
  const condition = conditionByIsOperand.get(operand);
  if (condition === undefined) throw createBadNarrowError(`unknown 'is:' term: ${operand}`);
  return condition(actor);
}
