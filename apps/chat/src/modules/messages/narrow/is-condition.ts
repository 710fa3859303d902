import { badNarrow } from '../../../errors.js';
import { flagBit } from '../message-flags.js';
import { type NarrowTerm, textOperand } from './narrow-terms.js';

/** Muted: the topic itself, or its channel unless the topic was unmuted or is followed (policies 2 and 3). */
export function mutedCondition(actorParameter: string): string {
  return `coalesce((SELECT ut.visibility_policy = 1 FROM user_topics ut
    WHERE ut.user_id = ${actorParameter} AND ut.channel_id = r.channel_id AND ut.topic_key = m.topic_key),
    s.is_muted, false)`;
}

/** Muted where a channel is named: the topic itself. */
export function mutedTopicCondition(actorParameter: string): string {
  return `EXISTS (SELECT 1 FROM user_topics ut WHERE ut.user_id = ${actorParameter}
    AND ut.channel_id = r.channel_id AND ut.topic_key = m.topic_key AND ut.visibility_policy = 1)`;
}

const flagged = (bits: number): string => `(um.flags & ${bits}) <> 0`;

/** Every flag that says somebody was called upon; `user_messages_mentioned_idx` holds the rows with any of them. */
export const mentionBits =
  flagBit.mentioned | flagBit.group_mentioned | flagBit.stream_wildcard_mentioned | flagBit.topic_wildcard_mentioned;

/** Messages of resolved topics, as the predicate of their index says it. */
export const resolvedTopic = `m.topic LIKE '✔ %'`;

/** What `is:` may say, each as SQL; those that need the reader's id add it. */
const conditions = new Map<string, (actor: () => string) => string>([
  ['dm', () => flagged(flagBit.direct)],
  ['private', () => flagged(flagBit.direct)],
  ['starred', () => flagged(flagBit.starred)],
  ['unread', () => `(um.flags & ${flagBit.read}) = 0`],
  ['mentioned', () => flagged(mentionBits)],
  ['alerted', () => flagged(flagBit.has_alert_word)],
  ['resolved', () => `(r.channel_id IS NOT NULL AND ${resolvedTopic})`],
  [
    'followed',
    (actor) => `EXISTS (SELECT 1 FROM user_topics ut WHERE ut.user_id = ${actor()}
      AND ut.channel_id = r.channel_id AND ut.topic_key = m.topic_key AND ut.visibility_policy = 3)`,
  ],
  ['muted', (actor) => mutedCondition(actor())],
]);

/**
 * An `is:` term as SQL.
 *
 * @param actor gives the placeholder of the reader's id.
 * @throws AppError BAD_NARROW
 */
export function isCondition(term: NarrowTerm, actor: () => string): string {
  const operand = textOperand(term);
  const condition = conditions.get(operand);
  if (condition === undefined) throw badNarrow(`unknown 'is:' term: ${operand}`);
  return condition(actor);
}
