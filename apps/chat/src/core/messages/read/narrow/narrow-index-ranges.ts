import { messageFlagBits } from '../../wire/message-flag-bits.js';
import {
  createMessageRangesOfConversationsSql,
  type OrderedMessageIdSource,
  type SingleRangeMessageIdSource,
  createRangeMessageIdSource,
  createMessageRangesOfTopicsSql,
} from './message-id-index-ranges.js';
import { isTopicResolvedSql } from './narrow-is-condition.js';
import { mentionsUserRowSql, createNarrowTermConditionSql, getTopicLookupKey } from './narrow-conditions.js';
import { type ResolvedNarrow, isNarrowOverChannelHistory } from './narrow-sql.js';
import { type NarrowTerm, parseTextOperand } from './parse-narrow-terms.js';
import type { NumberedSqlParameters } from './numbered-sql-parameters.js';
import { selectTopicsWithPolicySql } from '../../topics/topic-row-sql.js';

/**
 * Returns the index ranges in which the messages of a narrow (filter) can be searched. Each index range contains all
 * messages that match the narrow. The first ranges are those of the conversation and of the reader's history. Ranges of
 * terms that few messages may match follow.
 */
export function createNarrowMessageIdSources(narrow: ResolvedNarrow): readonly OrderedMessageIdSource[] {
  const positive = narrow.terms.filter((term) => !term.negated);
  const conversation = createConversationMessageIdSource(narrow, positive);
  const ofTerms = positive
    .flatMap((term) => createTermMessageIdSource(term, narrow) ?? [])
    .slice(0, maxSeparatelySearchedNarrowTerms);
  const history = isNarrowOverChannelHistory(narrow)
    ? createRealmMessageIdSource(narrow)
    : createReceivedMessageIdSource(narrow, positive);
  // Ranges of a narrow over a channel's whole history: the conversation's range replaces the range of the realm.
  if (conversation === undefined) return [history, ...ofTerms];
  return isNarrowOverChannelHistory(narrow) ? [conversation, ...ofTerms] : [conversation, history, ...ofTerms];
}

/**
 * Maximum number of terms of a narrow (filter) that are searched in a separate index range. Reading an index range
 * costs as much as reading the reader's history.
 */
const maxSeparatelySearchedNarrowTerms = 3;

/**
 * Returns the index range of the messages that the reader received. The range uses the index of a message flag if a
 * term of the narrow (filter) requires the flag.
 */
function createReceivedMessageIdSource(
  { actor, names, terms }: ResolvedNarrow,
  positive: readonly NarrowTerm[],
): SingleRangeMessageIdSource {
  const flags = positive.filter(
    (term) => term.operator === 'is' && indexedFlagOperandsOfIs.has(parseTextOperand(term)),
  );
  const isDirect = positive.some((term) => directConversationOperators.has(term.operator));
  return {
    kind: 'range',
    isHistory: true,
    mayBeUnread: flags.length === 0 && !isDirect && terms.some(excludesUnreadMessages),
    repeats: false,
    sql: (parameters) => ({
      from: 'user_messages um',
      where: [
        `um.user_id = ${parameters.addValue(actor.id)}`,
        ...flags.map((term) => createNarrowTermConditionSql(term, { actor, names, terms, parameters })),
        ...(isDirect ? [`(um.flags & ${messageFlagBits.direct}) <> 0`] : []),
      ].join(' AND '),
      id: 'um.message_id',
    }),
  };
}

/** Operands of the narrow operator `is:` that are stored as message flags with an index. */
export const indexedFlagOperandsOfIs: ReadonlySet<string> = new Set([
  'dm',
  'private',
  'starred',
  'unread',
  'mentioned',
  'alerted',
]);

/** Returns true for the narrow term `-is:unread`, which excludes unread messages. */
export const excludesUnreadMessages = (term: NarrowTerm): boolean =>
  term.negated && term.operator === 'is' && parseTextOperand(term) === 'unread';

/** Narrow operators that select several direct conversations. */
const directConversationOperators: ReadonlySet<string> = new Set(['dm-with', 'group-pm-with']);

function createRealmMessageIdSource({ actor }: ResolvedNarrow): OrderedMessageIdSource {
  return createRangeMessageIdSource((parameters) => `m.realm_id = ${parameters.addValue(actor.realmId)}`);
}

/**
 * Returns the index range of the channel, topic or direct conversation that a narrow (filter) names. Returns undefined
 * if the narrow names no conversation.
 */
function createConversationMessageIdSource(
  narrow: ResolvedNarrow,
  positive: readonly NarrowTerm[],
): OrderedMessageIdSource | undefined {
  const place = positive.find((term) => term.operator === 'channel' || term.operator === 'dm');
  if (place === undefined) return undefined;
  const topic = place.operator === 'channel' ? positive.find((term) => term.operator === 'topic') : undefined;
  const condition = (parameters: NumberedSqlParameters): string =>
    createNarrowTermConditionSql(topic ?? place, { ...narrow, parameters }) ?? 'true';
  return createRangeMessageIdSource(condition, topic === undefined ? undefined : 'm.topic_id');
}

/**
 * Returns the index ranges of a narrow term that an index supports and that few messages are likely to match. Returns
 * undefined for any other term.
 */
function createTermMessageIdSource(term: NarrowTerm, narrow: ResolvedNarrow): OrderedMessageIdSource | undefined {
  const condition = (parameters: NumberedSqlParameters): string =>
    createNarrowTermConditionSql(term, { ...narrow, parameters }) ?? 'true';
  switch (term.operator) {
    case 'id':
    case 'sender':
      return createRangeMessageIdSource(condition);
    case 'mentions':
      return {
        kind: 'range',
        isHistory: false,
        repeats: false,
        sql: (parameters) => ({
          from: 'user_messages um',
          where: mentionsUserRowSql(term, { ...narrow, parameters }),
          id: 'um.message_id',
        }),
      };
    case 'has':
      return parseTextOperand(term) === 'reaction' ? reactionMessageIdSource : createRangeMessageIdSource(condition);
    case 'is':
      return createTopicsMessageIdSource(parseTextOperand(term), narrow);
    case 'topic':
      return createNamedTopicsMessageSource(term, narrow);
    case 'channels':
      return createChannelsMessageIdSource(parseTextOperand(term), narrow);
    case 'dm-with':
    case 'group-pm-with':
      return {
        kind: 'ranges',
        repeats: false,
        sql: (parameters) => [
          createMessageRangesOfConversationsSql(
            `SELECT r.id AS recipient_id FROM recipients r WHERE ${condition(parameters)}`,
          ),
        ],
      };
    default:
      return undefined;
  }
}

const reactionMessageIdSource: SingleRangeMessageIdSource = {
  kind: 'range',
  isHistory: false,
  repeats: true,
  sql: () => ({ from: 'reactions re', where: 'true', id: 're.message_id' }),
};

/**
 * Returns the index ranges of all topics with a given name. Returns undefined if the narrow (filter) also names a
 * channel, because another index range then covers the topic.
 */
function createNamedTopicsMessageSource(
  term: NarrowTerm,
  { actor, terms }: ResolvedNarrow,
): OrderedMessageIdSource | undefined {
  if (terms.some(({ operator, negated }) => operator === 'channel' && !negated)) return undefined;
  return {
    kind: 'ranges',
    repeats: false,
    sql: (parameters) => [
      createMessageRangesOfTopicsSql(`SELECT t.id AS topic_id FROM topics t JOIN recipients re ON re.id = t.recipient_id
        WHERE t.topic_key = ${parameters.addValue(getTopicLookupKey(term))} AND re.realm_id = ${parameters.addValue(actor.realmId)}`),
    ],
  };
}

/**
 * Returns the index ranges of the topics that a narrow term selects. The term selects topics by name, or by the
 * reader's visibility policies and muted channels.
 */
function createTopicsMessageIdSource(operand: string, { actor }: ResolvedNarrow): OrderedMessageIdSource | undefined {
  const underPolicy = (parameters: NumberedSqlParameters, policy: number): string =>
    selectTopicsWithPolicySql(parameters.addValue(actor.id), `= ${policy}`);
  switch (operand) {
    case 'resolved':
      return {
        kind: 'ranges',
        usualRanges: 10,
        repeats: false,
        sql: (parameters) => [
          createMessageRangesOfTopicsSql(`SELECT t.id AS topic_id FROM topics t JOIN recipients re ON re.id = t.recipient_id
            WHERE ${isTopicResolvedSql} AND re.realm_id = ${parameters.addValue(actor.realmId)}`),
        ],
      };
    case 'followed':
      return {
        kind: 'ranges',
        repeats: true,
        sql: (parameters) => [createMessageRangesOfTopicsSql(underPolicy(parameters, 3))],
      };
    case 'muted':
      return {
        kind: 'ranges',
        repeats: true,
        sql: (parameters) => [
          createMessageRangesOfTopicsSql(underPolicy(parameters, 1)),
          createMessageRangesOfConversationsSql(`SELECT r.id AS recipient_id FROM subscriptions s JOIN recipients r ON r.channel_id = s.channel_id
            WHERE s.user_id = ${parameters.addValue(actor.id)} AND s.is_active AND s.is_muted`),
        ],
      };
    default:
      return undefined;
  }
}

/**
 * Returns the index ranges of the channels that a narrow term selects. Returns undefined for terms that may select many
 * channels, because reading all public channels would cost as much as reading the whole history.
 */
function createChannelsMessageIdSource(operand: string, { actor }: ResolvedNarrow): OrderedMessageIdSource | undefined {
  const column = operand === 'web-public' ? 'is_web_public' : operand === 'archived' ? 'is_archived' : undefined;
  if (column === undefined) return undefined;
  return {
    kind: 'ranges',
    repeats: false,
    sql: (parameters) => [
      createMessageRangesOfConversationsSql(`SELECT r.id AS recipient_id FROM channels c JOIN recipients r ON r.channel_id = c.id
        WHERE c.realm_id = ${parameters.addValue(actor.realmId)} AND c.${column}`),
    ],
  };
}
