import { createHash } from 'node:crypto';
import { type ChatActor, isGuest } from '../../../../infra/http/chat-actor.js';
import { createBadNarrowError } from '../../../../errors.js';
import { normalizeTextForComparison } from '../../../../infra/normalized-text-key.js';
import { parseRequestedTopicName } from '../../../../events/empty-topic-name.js';
import { messageFlagBits } from '../../wire/message-flag-bits.js';
import { isMessageInTopicSql } from './message-id-index-ranges.js';
import { createIsOperatorCondition, mentionFlagBits, createMutedCondition } from './narrow-is-condition.js';
import { parseMessageIdOperand, type NarrowTerm, parseTextOperand } from './parse-narrow-terms.js';
import type { ChannelsAndUsersOfNarrow } from './resolve-narrow.js';
import { createSearchFilterSql } from './text-search-condition.js';
import type { NumberedSqlParameters } from './numbered-sql-parameters.js';
import { topicIdSql } from '../../topics/topic-row-sql.js';

/** Values that are needed to translate one term of a narrow (filter) to SQL. */
export interface NarrowTermContext {
  readonly actor: ChatActor;
  readonly names: ChannelsAndUsersOfNarrow;
  /** All terms of the narrow (message filter) to which the translated term belongs. */
  readonly terms: readonly NarrowTerm[];
  readonly parameters: NumberedSqlParameters;
}

/** Returns the lookup key of a direct conversation's recipient row: the digest of the participants' sorted user ids. */
export function createDirectConversationLookupKey(userIds: Iterable<number>): string {
  const ids = [...new Set(userIds)].toSorted((a, b) => a - b);
  return createHash('sha256').update(ids.join(',')).digest('hex');
}

/**
 * Returns the SQL condition of one term of a narrow, over `messages m`, `recipients r`, `channels c`, the reader's
 * `subscriptions s` and `user_messages um` (docs/contract/chat.md 5.4). Returns undefined for a term that matches every
 * message.
 *
 * @throws ApplicationError BAD_NARROW
 */
export function createNarrowTermConditionSql(term: NarrowTerm, context: NarrowTermContext): string | undefined {
  const condition = conditionBuilderByOperator[term.operator]?.(term, context);
  if (condition === undefined) return undefined;
  return term.negated ? `NOT coalesce(${condition}, false)` : condition;
}

type NarrowConditionBuilder = (term: NarrowTerm, context: NarrowTermContext) => string | undefined;

const conditionBuilderByOperator: Readonly<Record<string, NarrowConditionBuilder>> = {
  channel: (term, { names, parameters }) =>
    `m.recipient_id = (SELECT id FROM recipients WHERE channel_id = ${parameters.addValue(names.channel(term).id)})`,
  channels: createChannelsCondition,
  topic: createTopicCondition,
  dm: (term, { actor, names, parameters }) => {
    const key = parameters.addValue(createDirectConversationLookupKey([...names.users(term), actor.id]));
    const realm = parameters.addValue(actor.realmId);
    return `m.recipient_id = (SELECT id FROM recipients WHERE realm_id = ${realm} AND participants_key = ${key})`;
  },
  'dm-with': (term, { actor, names, parameters }) => {
    const everyone = [...new Set([...names.users(term), actor.id])];
    return `r.participant_ids @> ${parameters.addValue(everyone)}::int[]`;
  },
  'group-pm-with': (term, { actor, names, parameters }) => {
    const everyone = [...new Set([...names.users(term), actor.id])];
    return `(r.participant_ids @> ${parameters.addValue(everyone)}::int[] AND cardinality(r.participant_ids) > 2)`;
  },
  sender: (term, { names, parameters }) => `m.sender_id = ${parameters.addValue(requireSingleUser(term, names))}`,
  mentions: createMentionsCondition,
  is: (term, { actor, parameters }) => createIsOperatorCondition(term, () => parameters.addValue(actor.id)),
  has: createHasOperatorConditionSql,
  id: (term, { parameters }) => `m.id = ${parameters.addValue(parseMessageIdOperand(term))}::bigint`,
  near: (term) => {
    parseMessageIdOperand(term);
    return undefined;
  },
  search: (term, { parameters }) => createSearchFilterSql(term, parameters),
  in: (term, { actor, parameters }) => {
    const operand = parseTextOperand(term);
    if (operand === 'all') return undefined;
    if (operand !== 'home') throw createBadNarrowError(`unknown 'in:' term: ${operand}`);
    return `NOT ${createMutedCondition(parameters.addValue(actor.id))}`;
  },
};

/**
 * Returns the SQL condition that a message's topic has the name in a term. Restricts the condition to the channel that
 * the narrow (filter) names, if it names a channel.
 */
function createTopicCondition(term: NarrowTerm, { names, parameters, terms }: NarrowTermContext): string {
  const key = parameters.addValue(getTopicLookupKey(term));
  const place = terms.find(({ operator, negated }) => operator === 'channel' && !negated);
  if (place === undefined) return `EXISTS (SELECT 1 FROM topics t WHERE t.id = m.topic_id AND t.topic_key = ${key})`;
  const channelId = parameters.addValue(names.channel(place).id);
  return isMessageInTopicSql(topicIdSql(`(SELECT id FROM recipients WHERE channel_id = ${channelId})`, key));
}

/** Returns the lookup key (normalized name) of the topic that a term of a narrow (filter) names. */
export function getTopicLookupKey(term: NarrowTerm): string {
  return normalizeTextForComparison(parseRequestedTopicName(parseTextOperand(term).trim()));
}

function requireSingleUser(term: NarrowTerm, names: ChannelsAndUsersOfNarrow): number {
  const [id, another] = names.users(term);
  if (id === undefined || another !== undefined) throw createBadNarrowError(`invalid operand for ${term.operator}`);
  return id;
}

/**
 * Returns the SQL condition that a message mentions a user. The condition uses the mention flags in the `user_messages`
 * rows of the message.
 */
function createMentionsCondition(term: NarrowTerm, context: NarrowTermContext): string {
  return `EXISTS (SELECT 1 FROM user_messages um WHERE ${mentionsUserRowSql(term, context)} AND um.message_id = m.id)`;
}

/** Returns the SQL condition for rows `user_messages um` of messages that mention the user of a term. */
export function mentionsUserRowSql(term: NarrowTerm, { names, parameters }: NarrowTermContext): string {
  const user = parameters.addValue(requireSingleUser(term, names));
  const personal = messageFlagBits.mentioned | messageFlagBits.group_mentioned;
  return `um.user_id = ${user} AND um.flags & ${mentionFlagBits} <> 0 AND um.flags & ${personal} <> 0`;
}

function createChannelsCondition(term: NarrowTerm, { actor }: NarrowTermContext): string {
  const operand = parseTextOperand(term);
  switch (operand) {
    case 'public':
      return isGuest(actor)
        ? '(NOT c.is_private AND (c.is_web_public OR s.user_id IS NOT NULL))'
        : '(r.channel_id IS NOT NULL AND NOT c.is_private)';
    case 'web-public':
      return '(r.channel_id IS NOT NULL AND c.is_web_public)';
    case 'archived':
      return '(r.channel_id IS NOT NULL AND c.is_archived)';
    default:
      throw createBadNarrowError(`unknown 'channels:' term: ${operand}`);
  }
}

function createHasOperatorConditionSql(term: NarrowTerm): string {
  const operand = parseTextOperand(term);
  switch (operand) {
    case 'link':
      return 'm.has_link';
    case 'attachment':
      return 'm.has_attachment';
    case 'image':
      return 'm.has_image';
    case 'reaction':
      return 'EXISTS (SELECT 1 FROM reactions re WHERE re.message_id = m.id)';
    default:
      throw createBadNarrowError(`unknown 'has:' term: ${operand}`);
  }
}
