import { type ChatActor, isGuest } from '../../../../infra/http/chat-actor.js';
import { isChannelReadableSql } from '../../../access/channel-access.js';
import { createBadNarrowError } from '../../../../errors.js';
import { historicalMessageFlagBits } from '../../wire/message-flag-bits.js';
import { conversationJoinsSql, messageByIdJoinSql, type NarrowedMessagesSql } from './accessible-messages.js';
import { createNarrowTermConditionSql } from './narrow-conditions.js';
import { parseMessageIdOperand, type NarrowTerm } from './parse-narrow-terms.js';
import type { ChannelsAndUsersOfNarrow } from './resolve-narrow.js';
import { createTextSearchSql } from './text-search-condition.js';
import type { NumberedSqlParameters } from './numbered-sql-parameters.js';

/** A parsed narrow (filter), the reader, and the channels and users that the terms of the narrow name. */
export interface ResolvedNarrow {
  readonly actor: ChatActor;
  readonly terms: readonly NarrowTerm[];
  readonly names: ChannelsAndUsersOfNarrow;
}

/** SQL joins, SQL conditions and reader placeholder of a narrow (message filter). */
interface NarrowSqlClauses {
  /** SQL that joins `messages m` with the tables of the message's conversation. */
  readonly joins: string;
  readonly where: string;
  /** SQL placeholder of the reader's user id. */
  readonly actor: string;
}

/**
 * Returns the SQL that selects the messages of a narrow (filter). The SQL searches the reader's own history, or
 * the whole history of a channel if a term names a channel that the reader can read. Message flags exist only in the
 * reader's own history, so `is:` terms always search that history (docs/contract/chat.md 5.4).
 *
 * @throws ApplicationError BAD_NARROW
 */
export function createNarrowedMessages(narrow: ResolvedNarrow, parameters: NumberedSqlParameters): NarrowedMessagesSql {
  const { joins, where, actor } = createNarrowClauses(narrow, parameters);
  if (isNarrowOverChannelHistory(narrow)) {
    return {
      from: `messages m ${messageTextJoinSql(narrow)} ${joins}`,
      where,
      id: 'm.id',
      before:
        narrow.terms.some(createPositiveTermPredicate('topic')) &&
        narrow.terms.some(createPositiveTermPredicate('channel'))
          ? 'm.topic_id'
          : undefined,
      // A lookup per shown message. With a join, the planner may read all messages that the reader ever received.
      flags: `coalesce((SELECT um.flags FROM user_messages um
        WHERE um.user_id = ${actor} AND um.message_id = m.id), ${historicalMessageFlagBits})`,
    };
  }
  return {
    from: `user_messages um ${messageByIdJoinSql('um.message_id')} ${messageTextJoinSql(narrow)} ${joins}`,
    where,
    id: 'um.message_id',
    flags: 'um.flags',
  };
}

/**
 * SQL clauses that select the messages of a narrow (filter) among the candidate messages in the rows of `candidate`.
 */
interface NarrowedCandidateMessagesSql {
  /** Additional expressions for the WITH clause of the statement, after `candidate`. */
  readonly expressions: readonly string[];
  /** SQL FROM and WHERE clauses that select the messages among the candidate messages. */
  readonly sql: string;
  /** SQL expression of the message id in the clauses {@link sql}. */
  readonly id: string;
}

/**
 * Returns the SQL that selects the messages of a narrow (filter) among the rows of `candidate (message_id)`.
 * The SQL looks up each candidate message by its id.
 *
 * @param hasFlags True if the candidates are rows of the reader's history, with the columns of `user_messages`.
 * @param more Returns an additional condition, given the placeholder of the reader's id.
 */
export function createNarrowedCandidates(
  narrow: ResolvedNarrow,
  parameters: NumberedSqlParameters,
  options: { readonly hasFlags: boolean; readonly more?: ((actor: string) => string) | undefined },
): NarrowedCandidateMessagesSql {
  if (hasTextSearch(narrow)) return createSearchedCandidates(narrow, parameters, options);
  const { hasFlags, more } = options;
  const { joins, where, actor } = createNarrowClauses(narrow, parameters);
  const conditions = more === undefined ? where : `${where} AND ${more(actor)}`;
  if (isNarrowOverChannelHistory(narrow)) {
    const sql = `FROM candidate ${messageByIdJoinSql('candidate.message_id')} ${messageTextJoinSql(narrow)} ${joins} WHERE ${conditions}`;
    return { expressions: [], sql, id: 'candidate.message_id' };
  }
  // Uses the id of `um`, so that messages which the reader never received are not looked up.
  return {
    expressions: hasFlags ? [] : [receivedCandidatesSql(actor)],
    sql: `FROM ${hasFlags ? 'candidate' : 'received'} um ${messageByIdJoinSql('um.message_id')} ${messageTextJoinSql(narrow)} ${joins}
      WHERE ${conditions}`,
    id: 'um.message_id',
  };
}

/**
 * Returns SQL that first reads the texts of the candidate messages, because most texts do not match and these messages
 * need no further lookup. One index scan reads all texts, and a second index scan reads the remaining messages. Each
 * scan reads a tenth of the pages that single lookups would read. The scans do not stop when enough messages are found.
 */
function createSearchedCandidates(
  narrow: ResolvedNarrow,
  parameters: NumberedSqlParameters,
  { hasFlags, more }: Parameters<typeof createNarrowedCandidates>[2],
): NarrowedCandidateMessagesSql {
  const isSearch = ({ operator }: NarrowTerm): boolean => operator === 'search';
  const search = createTextSearchSql(narrow.terms.filter(isSearch), parameters);
  const others = { ...narrow, terms: narrow.terms.filter((term) => !isSearch(term)) };
  const { joins, where, actor } = createNarrowClauses(others, parameters);
  const isOwn = !isNarrowOverChannelHistory(narrow);
  const mustReceive = isOwn && !hasFlags;
  const text = `text AS MATERIALIZED (SELECT x.message_id, ${search.columns} FROM message_texts x
    WHERE x.message_id = ANY(ARRAY(SELECT message_id FROM ${mustReceive ? 'received' : 'candidate'})) AND ${search.filter})`;
  const history = `CROSS JOIN LATERAL (
    SELECT * FROM user_messages WHERE user_id = ${actor} AND message_id = m.id OFFSET 0) um`;
  return {
    expressions: mustReceive ? [receivedCandidatesSql(actor), text] : [text],
    sql: `FROM (SELECT * FROM messages WHERE messages.id = ANY(ARRAY(SELECT message_id FROM text)) OFFSET 0) m
      JOIN text ON text.message_id = m.id ${isOwn ? history : ''} ${joins}
      WHERE ${where} AND ${search.condition}${more === undefined ? '' : ` AND ${more(actor)}`}`,
    id: 'm.id',
  };
}

/**
 * Returns an SQL WITH expression that reads the reader's `user_messages` rows for the candidate messages, by one index
 * scan.
 */
const receivedCandidatesSql = (actor: string): string => `received AS MATERIALIZED (
    SELECT user_id, message_id, flags FROM user_messages
    WHERE user_id = ${actor} AND message_id = ANY(ARRAY(SELECT message_id FROM candidate)))`;

/**
 * Returns the SQL join that adds the texts of `messages m` if a term of the narrow searches for words. Otherwise
 * returns an empty string.
 */
function messageTextJoinSql({ terms }: ResolvedNarrow): string {
  if (!terms.some((term) => term.operator === 'search')) return '';
  return 'CROSS JOIN LATERAL (SELECT * FROM message_texts WHERE message_texts.message_id = m.id OFFSET 0) x';
}

/**
 * Returns true if a narrow searches for words or phrases. The SQL of a text search looks up message flags only for
 * messages whose text matches.
 */
export function hasTextSearch({ terms }: ResolvedNarrow): boolean {
  return terms.some((term) => term.operator === 'search' && !term.negated);
}

function createNarrowClauses(narrow: ResolvedNarrow, parameters: NumberedSqlParameters): NarrowSqlClauses {
  const { terms, actor } = narrow;
  rejectImpossibleNarrow(narrow);
  const actorParameter = parameters.addValue(actor.id);
  const context = { actor, names: narrow.names, terms, parameters };
  const conditions = removeImpliedChannelTerm(terms)
    .map((term) => createNarrowTermConditionSql(term, context))
    .filter((condition) => condition !== undefined);
  const joins = conversationJoinsSql(actorParameter);
  if (isNarrowOverChannelHistory(narrow)) {
    return {
      joins,
      where: [...conditions, `m.realm_id = ${parameters.addValue(actor.realmId)}`].join(' AND '),
      actor: actorParameter,
    };
  }
  const readable = isChannelReadableSql({ actor: actorParameter, isGuest: parameters.addValue(isGuest(actor)) });
  return {
    joins,
    where: [
      `um.user_id = ${actorParameter}`,
      `(r.channel_id IS NULL OR ${readable})`,
      ...terms
        .filter(createPositiveTermPredicate('id'))
        .map((term) => `um.message_id = ${parameters.addValue(parseMessageIdOperand(term))}::bigint`),
      ...conditions,
    ].join(' AND '),
    actor: actorParameter,
  };
}

const createPositiveTermPredicate =
  (name: string) =>
  ({ operator, negated }: NarrowTerm): boolean =>
    operator === name && !negated;

/**
 * Removes the channel term of a narrow (filter) that also has a topic term, because the topic implies its channel. With
 * both conditions the planner would expect a single message, and would read and sort all messages of the topic.
 */
function removeImpliedChannelTerm(terms: readonly NarrowTerm[]): readonly NarrowTerm[] {
  return terms.some(createPositiveTermPredicate('topic'))
    ? terms.filter((term) => !createPositiveTermPredicate('channel')(term))
    : terms;
}

/**
 * Returns true if a narrow (filter) selects from the whole history of channels. That history includes messages that the
 * reader never received.
 */
export function isNarrowOverChannelHistory({ actor, terms, names }: ResolvedNarrow): boolean {
  if (terms.some((term) => term.operator === 'is')) return false;
  return terms.some((term) => {
    if (term.negated) return false;
    if (term.operator === 'channel') return names.channel(term).historyReadable;
    if (term.operator !== 'channels') return false;
    return term.operand === 'web-public' || (term.operand === 'public' && !isGuest(actor));
  });
}

/**
 * Throws if a narrow (filter) cannot match any message, because it names two channels, or a channel and a direct
 * conversation.
 */
function rejectImpossibleNarrow({ terms, names }: ResolvedNarrow): void {
  const positive = terms.filter((term) => !term.negated);
  const channels = positive.filter((term) => term.operator === 'channel');
  const channelIds = new Set(channels.map((term) => names.channel(term).id));
  const direct = positive.some((term) => term.operator === 'dm' || term.operator === 'dm-with');
  if (channelIds.size > 1 || (channelIds.size > 0 && direct)) {
    throw createBadNarrowError('No message can be both a channel message and direct message');
  }
}
