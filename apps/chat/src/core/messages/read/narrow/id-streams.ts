import { flagBit } from '../../wire/message-flags.js';
import { conversationRanges, type IdStream, type RangeStream, streamOfMessages, topicRanges } from './id-stream.js';
import { resolvedTopic } from './is-condition.js';
import { mentionedRows, termCondition, topicKeyOf } from './narrow-conditions.js';
import { type ResolvedNarrow, searchesChannelHistory } from './narrowed-messages.js';
import { type NarrowTerm, textOperand } from './narrow-terms.js';
import type { SqlParameters } from './sql-text.js';
import { topicsUnderPolicy } from '../../wire/topic-row.js';

/**
 * The streams that a narrow can be read from, each of them with all messages of the narrow, in the order in which they
 * are tried: a conversation, the history that is searched, parts of the narrow that few messages may fulfil.
 */
export function idStreams(narrow: ResolvedNarrow): readonly IdStream[] {
  const positive = narrow.terms.filter((term) => !term.negated);
  const conversation = conversationStream(narrow, positive);
  const ofTerms = positive.flatMap((term) => termStream(term, narrow) ?? []).slice(0, mostOfTerms);
  const history = searchesChannelHistory(narrow) ? realmHistory(narrow) : ownHistory(narrow, positive);
  // Of the realm's history a channel's stream has the part that counts.
  if (conversation === undefined) return [history, ...ofTerms];
  return searchesChannelHistory(narrow) ? [conversation, ...ofTerms] : [conversation, history, ...ofTerms];
}

/** Maximum number of terms with a separate stream each: each costs as much as the history does. */
const mostOfTerms = 3;

/** Streams of the received messages; by the indexes of flags where terms ask for flags. */
function ownHistory({ actor, names, terms }: ResolvedNarrow, positive: readonly NarrowTerm[]): RangeStream {
  const flags = positive.filter((term) => term.operator === 'is' && flagOperands.has(textOperand(term)));
  const isDirect = positive.some((term) => severalDirect.has(term.operator));
  return {
    kind: 'range',
    isHistory: true,
    mayBeUnread: flags.length === 0 && !isDirect && terms.some(excludesUnread),
    repeats: false,
    sql: (parameters) => ({
      from: 'user_messages um',
      where: [
        `um.user_id = ${parameters.add(actor.id)}`,
        ...flags.map((term) => termCondition(term, { actor, names, terms, parameters })),
        ...(isDirect ? [`(um.flags & ${flagBit.direct}) <> 0`] : []),
      ].join(' AND '),
      id: 'um.message_id',
    }),
  };
}

/** Operands of `is:` that are flags of the history. */
export const flagOperands: ReadonlySet<string> = new Set([
  'dm',
  'private',
  'starred',
  'unread',
  'mentioned',
  'alerted',
]);

/** Returns true for `-is:unread`. */
export const excludesUnread = (term: NarrowTerm): boolean =>
  term.negated && term.operator === 'is' && textOperand(term) === 'unread';

/** Operators that select from several direct conversations. */
const severalDirect: ReadonlySet<string> = new Set(['dm-with', 'group-pm-with']);

function realmHistory({ actor }: ResolvedNarrow): IdStream {
  return streamOfMessages((parameters) => `m.realm_id = ${parameters.add(actor.realmId)}`);
}

/** The channel or the direct conversation that a narrow names; with a topic, one of its topics. */
function conversationStream(narrow: ResolvedNarrow, positive: readonly NarrowTerm[]): IdStream | undefined {
  const place = positive.find((term) => term.operator === 'channel' || term.operator === 'dm');
  if (place === undefined) return undefined;
  const topic = place.operator === 'channel' ? positive.find((term) => term.operator === 'topic') : undefined;
  const condition = (parameters: SqlParameters): string =>
    termCondition(topic ?? place, { ...narrow, parameters }) ?? 'true';
  return streamOfMessages(condition, topic === undefined ? undefined : 'm.topic_id');
}

/** The stream of a term that few messages may fulfil and an index knows. */
function termStream(term: NarrowTerm, narrow: ResolvedNarrow): IdStream | undefined {
  const condition = (parameters: SqlParameters): string => termCondition(term, { ...narrow, parameters }) ?? 'true';
  switch (term.operator) {
    case 'id':
    case 'sender':
      return streamOfMessages(condition);
    case 'mentions':
      return {
        kind: 'range',
        isHistory: false,
        repeats: false,
        sql: (parameters) => ({
          from: 'user_messages um',
          where: mentionedRows(term, { ...narrow, parameters }),
          id: 'um.message_id',
        }),
      };
    case 'has':
      return textOperand(term) === 'reaction' ? reactions : streamOfMessages(condition);
    case 'is':
      return topicsStream(textOperand(term), narrow);
    case 'topic':
      return topicEverywhere(term, narrow);
    case 'channels':
      return channelsStream(textOperand(term), narrow);
    case 'dm-with':
    case 'group-pm-with':
      return {
        kind: 'ranges',
        repeats: false,
        sql: (parameters) => [
          conversationRanges(`SELECT r.id AS recipient_id FROM recipients r WHERE ${condition(parameters)}`),
        ],
      };
    default:
      return undefined;
  }
}

const reactions: RangeStream = {
  kind: 'range',
  isHistory: false,
  repeats: true,
  sql: () => ({ from: 'reactions re', where: 'true', id: 're.message_id' }),
};

/** The topics of a name in all channels; a topic of a channel has a stream by itself. */
function topicEverywhere(term: NarrowTerm, { actor, terms }: ResolvedNarrow): IdStream | undefined {
  if (terms.some(({ operator, negated }) => operator === 'channel' && !negated)) return undefined;
  return {
    kind: 'ranges',
    repeats: false,
    sql: (parameters) => [
      topicRanges(`SELECT t.id AS topic_id FROM topics t JOIN recipients re ON re.id = t.recipient_id
        WHERE t.topic_key = ${parameters.add(topicKeyOf(term))} AND re.realm_id = ${parameters.add(actor.realmId)}`),
    ],
  };
}

/** Topics that a term selects by their names, or by what the reader has said of them or of their channels. */
function topicsStream(operand: string, { actor }: ResolvedNarrow): IdStream | undefined {
  const underPolicy = (parameters: SqlParameters, policy: number): string =>
    topicsUnderPolicy(parameters.add(actor.id), `= ${policy}`);
  switch (operand) {
    case 'resolved':
      return {
        kind: 'ranges',
        usualRanges: 10,
        repeats: false,
        sql: (parameters) => [
          topicRanges(`SELECT t.id AS topic_id FROM topics t JOIN recipients re ON re.id = t.recipient_id
            WHERE ${resolvedTopic} AND re.realm_id = ${parameters.add(actor.realmId)}`),
        ],
      };
    case 'followed':
      return { kind: 'ranges', repeats: true, sql: (parameters) => [topicRanges(underPolicy(parameters, 3))] };
    case 'muted':
      return {
        kind: 'ranges',
        repeats: true,
        sql: (parameters) => [
          topicRanges(underPolicy(parameters, 1)),
          conversationRanges(`SELECT r.id AS recipient_id FROM subscriptions s JOIN recipients r ON r.channel_id = s.channel_id
            WHERE s.user_id = ${parameters.add(actor.id)} AND s.is_active AND s.is_muted`),
        ],
      };
    default:
      return undefined;
  }
}

/** Channels that a term selects and that are few: most channels are public, and their stream is the whole history. */
function channelsStream(operand: string, { actor }: ResolvedNarrow): IdStream | undefined {
  const column = operand === 'web-public' ? 'is_web_public' : operand === 'archived' ? 'is_archived' : undefined;
  if (column === undefined) return undefined;
  return {
    kind: 'ranges',
    repeats: false,
    sql: (parameters) => [
      conversationRanges(`SELECT r.id AS recipient_id FROM channels c JOIN recipients r ON r.channel_id = c.id
        WHERE c.realm_id = ${parameters.add(actor.realmId)} AND c.${column}`),
    ],
  };
}
