import { type ChatActor, isGuest } from '../../../../infra/http/chat-actor.js';
import { isChannelReadableSql } from '../../../access/channel-access.js';
import { createBadNarrowError } from '../../../../errors.js';
import { historicalMessageFlags } from '../../wire/message-flag-bits.js';
import { conversationJoinsSql, messageByIdJoinSql, type NarrowedMessages } from './accessible-messages.js';
import { createTermCondition } from './narrow-conditions.js';
import { parseMessageIdOperand, type NarrowTerm } from './parse-narrow-terms.js';
import type { NarrowNames } from './resolve-narrow.js';
import { createTextSearchSql } from './text-search-condition.js';
import type { NumberedSqlParameters } from './numbered-sql-parameters.js';

/** A parsed narrow with its reader, and the channels and users that its terms name. */
export interface ResolvedNarrow {
  readonly actor: ChatActor;
  readonly terms: readonly NarrowTerm[];
  readonly names: NarrowNames;
}

/** SQL joins and parameters of a narrow. */
interface NarrowSql {
  /** SQL that joins `messages m` with the tables of its conversation. */
  readonly joins: string;
  readonly where: string;
  /** Placeholder of the reader's id. */
  readonly actor: string;
}

/**
 * Returns the SQL that selects the messages of a narrow. It searches the reader's own history, or the whole history of
 * a channel if a term names one that the reader can read. Flags exist only in the own history, so `is:` terms always
 * search it (docs/contract/chat.md 5.4).
 *
 * @throws AppError BAD_NARROW
 */
export function createNarrowedMessages(narrow: ResolvedNarrow, parameters: NumberedSqlParameters): NarrowedMessages {
  const { joins, where, actor } = createNarrowClauses(narrow, parameters);
  if (selectsFromChannelHistory(narrow)) {
    return {
      from: `messages m ${messageTextJoinSql(narrow)} ${joins}`,
      where,
      id: 'm.id',
      before:
        narrow.terms.some(isPositiveTermWithOperator('topic')) &&
        narrow.terms.some(isPositiveTermWithOperator('channel'))
          ? 'm.topic_id'
          : undefined,
      // A lookup per shown message. With a join, the planner may read all messages that the reader ever received.
      flags: `coalesce((SELECT um.flags FROM user_messages um
        WHERE um.user_id = ${actor} AND um.message_id = m.id), ${historicalMessageFlags})`,
    };
  }
  return {
    from: `user_messages um ${messageByIdJoinSql('um.message_id')} ${messageTextJoinSql(narrow)} ${joins}`,
    where,
    id: 'um.message_id',
    flags: 'um.flags',
  };
}

/** SQL clauses that select the messages of a narrow from the rows of `candidate`. */
interface NarrowedCandidates {
  /** Additional expressions for the WITH clause of the statement, after `candidate`. */
  readonly expressions: readonly string[];
  /** SQL FROM and WHERE clauses that select the messages. */
  readonly sql: string;
  /** SQL of the message id in {@link sql}. */
  readonly id: string;
}

/**
 * Returns the SQL that selects the messages of a narrow among the rows of `candidate (message_id)`. Each candidate is
 * looked up by its id.
 *
 * @param hasFlags True if the candidates are rows of the reader's history, with the columns of `user_messages`.
 * @param more Returns an additional condition, given the placeholder of the reader's id.
 */
export function createNarrowedCandidates(
  narrow: ResolvedNarrow,
  parameters: NumberedSqlParameters,
  options: { readonly hasFlags: boolean; readonly more?: ((actor: string) => string) | undefined },
): NarrowedCandidates {
  if (hasTextSearch(narrow)) return createSearchedCandidates(narrow, parameters, options);
  const { hasFlags, more } = options;
  const { joins, where, actor } = createNarrowClauses(narrow, parameters);
  const conditions = more === undefined ? where : `${where} AND ${more(actor)}`;
  if (selectsFromChannelHistory(narrow)) {
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
 * Returns SQL that reads the texts of the candidates first, because most messages do not match by their text and then
 * need no further lookup. One index scan reads all texts, and one reads all remaining messages. Each reads a tenth of
 * the pages that single lookups would read. These scans do not stop when enough messages are found.
 */
function createSearchedCandidates(
  narrow: ResolvedNarrow,
  parameters: NumberedSqlParameters,
  { hasFlags, more }: Parameters<typeof createNarrowedCandidates>[2],
): NarrowedCandidates {
  const isSearch = ({ operator }: NarrowTerm): boolean => operator === 'search';
  const search = createTextSearchSql(narrow.terms.filter(isSearch), parameters);
  const others = { ...narrow, terms: narrow.terms.filter((term) => !isSearch(term)) };
  const { joins, where, actor } = createNarrowClauses(others, parameters);
  const isOwn = !selectsFromChannelHistory(narrow);
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

/** Returns a WITH expression with the reader's rows of the candidates, read by one index scan. */
const receivedCandidatesSql = (actor: string): string => `received AS MATERIALIZED (
    SELECT user_id, message_id, flags FROM user_messages
    WHERE user_id = ${actor} AND message_id = ANY(ARRAY(SELECT message_id FROM candidate)))`;

/**
 * Returns the SQL join with the text of `messages m` if a term of the narrow searches the text. Otherwise returns an
 * empty text.
 */
function messageTextJoinSql({ terms }: ResolvedNarrow): string {
  if (!terms.some((term) => term.operator === 'search')) return '';
  return 'CROSS JOIN LATERAL (SELECT * FROM message_texts WHERE message_texts.message_id = m.id OFFSET 0) x';
}

/**
 * Returns true if a narrow searches for words or phrases. Flags are then looked up only for messages whose text
 * matches.
 */
export function hasTextSearch({ terms }: ResolvedNarrow): boolean {
  return terms.some((term) => term.operator === 'search' && !term.negated);
}

function createNarrowClauses(narrow: ResolvedNarrow, parameters: NumberedSqlParameters): NarrowSql {
  const { terms, actor } = narrow;
  rejectImpossibleNarrow(narrow);
  const actorParameter = parameters.addValue(actor.id);
  const context = { actor, names: narrow.names, terms, parameters };
  const conditions = termsWithoutImpliedChannel(terms)
    .map((term) => createTermCondition(term, context))
    .filter((condition) => condition !== undefined);
  const joins = conversationJoinsSql(actorParameter);
  if (selectsFromChannelHistory(narrow)) {
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
        .filter(isPositiveTermWithOperator('id'))
        .map((term) => `um.message_id = ${parameters.addValue(parseMessageIdOperand(term))}::bigint`),
      ...conditions,
    ].join(' AND '),
    actor: actorParameter,
  };
}

const isPositiveTermWithOperator =
  (name: string) =>
  ({ operator, negated }: NarrowTerm): boolean =>
    operator === name && !negated;

/**
 * Removes the channel term of a narrow if there is a topic term, because the topic implies its channel. With both
 * conditions the planner would expect a single message, and would read and sort all messages of the topic.
 */
function termsWithoutImpliedChannel(terms: readonly NarrowTerm[]): readonly NarrowTerm[] {
  return terms.some(isPositiveTermWithOperator('topic'))
    ? terms.filter((term) => !isPositiveTermWithOperator('channel')(term))
    : terms;
}

/**
 * Returns true if a narrow selects from the whole history of channels, including messages that the reader never
 * received.
 */
export function selectsFromChannelHistory({ actor, terms, names }: ResolvedNarrow): boolean {
  if (terms.some((term) => term.operator === 'is')) return false;
  return terms.some((term) => {
    if (term.negated) return false;
    if (term.operator === 'channel') return names.channel(term).historyReadable;
    if (term.operator !== 'channels') return false;
    return term.operand === 'web-public' || (term.operand === 'public' && !isGuest(actor));
  });
}

/** Rejects a narrow that cannot match any message: two channels, or a channel and a direct message. */
function rejectImpossibleNarrow({ terms, names }: ResolvedNarrow): void {
  const positive = terms.filter((term) => !term.negated);
  const channels = positive.filter((term) => term.operator === 'channel');
  const channelIds = new Set(channels.map((term) => names.channel(term).id));
  const direct = positive.some((term) => term.operator === 'dm' || term.operator === 'dm-with');
  if (channelIds.size > 1 || (channelIds.size > 0 && direct)) {
    throw createBadNarrowError('No message can be both a channel message and direct message');
  }
}
