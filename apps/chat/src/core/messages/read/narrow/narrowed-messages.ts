import { type ChatActor, isGuest } from '../../../../infra/http/actor.js';
import { channelReadable } from '../../../access/channel-access.js';
import { badNarrow } from '../../../../errors.js';
import { historicalFlags } from '../../wire/message-flags.js';
import { conversationJoins, messageById, type NarrowedMessages } from './accessible-messages.js';
import { termCondition } from './narrow-conditions.js';
import { messageIdOperand, type NarrowTerm } from './narrow-terms.js';
import type { NarrowNames } from './resolve-narrow.js';
import { textSearch } from './search-condition.js';
import type { SqlParameters } from './sql-text.js';

/** Terms of a narrow, with their reader and the names that stand in them. */
export interface ResolvedNarrow {
  readonly actor: ChatActor;
  readonly terms: readonly NarrowTerm[];
  readonly names: NarrowNames;
}

/** A narrow as the middle of a statement. */
interface NarrowSql {
  /** Joins of the conversation to `messages m`. */
  readonly joins: string;
  readonly where: string;
  /** Placeholder of the reader's id. */
  readonly actor: string;
}

/**
 * Turns a narrow into SQL. It searches the reader's own history, or a channel's whole history where a term names one
 * that the reader may read; flags exist in the own history alone, so an `is:` term keeps to it
 * (docs/contract/chat.md 5.4).
 *
 * @throws AppError BAD_NARROW
 */
export function narrowedMessages(narrow: ResolvedNarrow, parameters: SqlParameters): NarrowedMessages {
  const { joins, where, actor } = narrowSql(narrow, parameters);
  if (searchesChannelHistory(narrow)) {
    return {
      from: `messages m ${textOf(narrow)} ${joins}`,
      where,
      id: 'm.id',
      before:
        narrow.terms.some(isPositive('topic')) && narrow.terms.some(isPositive('channel')) ? 'm.topic_id' : undefined,
      // Looked up for each message that is shown: joined, the planner may read all that the reader ever received.
      flags: `coalesce((SELECT um.flags FROM user_messages um
        WHERE um.user_id = ${actor} AND um.message_id = m.id), ${historicalFlags})`,
    };
  }
  return {
    from: `user_messages um ${messageById('um.message_id')} ${textOf(narrow)} ${joins}`,
    where,
    id: 'um.message_id',
    flags: 'um.flags',
  };
}

/** A narrow over rows `candidate`. */
interface NarrowedCandidates {
  /** Further expressions of the statement's WITH, behind `candidate`. */
  readonly expressions: readonly string[];
  /** FROM and WHERE clauses. */
  readonly sql: string;
  /** The id of a message in them. */
  readonly id: string;
}

/**
 * A narrow over rows `candidate (message_id)` of a statement, which looks up each candidate by its id.
 *
 * @param hasFlags Whether the candidates are rows of the reader's history, with the columns of `user_messages`.
 * @param more A further condition, made with the placeholder of the reader's id.
 */
export function narrowedCandidates(
  narrow: ResolvedNarrow,
  parameters: SqlParameters,
  options: { readonly hasFlags: boolean; readonly more?: ((actor: string) => string) | undefined },
): NarrowedCandidates {
  if (searchesText(narrow)) return searchedCandidates(narrow, parameters, options);
  const { hasFlags, more } = options;
  const { joins, where, actor } = narrowSql(narrow, parameters);
  const conditions = more === undefined ? where : `${where} AND ${more(actor)}`;
  if (searchesChannelHistory(narrow)) {
    const sql = `FROM candidate ${messageById('candidate.message_id')} ${textOf(narrow)} ${joins} WHERE ${conditions}`;
    return { expressions: [], sql, id: 'candidate.message_id' };
  }
  // By the id of `um`, so that no message is looked up that the reader never received.
  return {
    expressions: hasFlags ? [] : [receivedCandidates(actor)],
    sql: `FROM ${hasFlags ? 'candidate' : 'received'} um ${messageById('um.message_id')} ${textOf(narrow)} ${joins}
      WHERE ${conditions}`,
    id: 'um.message_id',
  };
}

/**
 * Reads the texts of the candidates first: most messages are ruled out by their text, and their rows are not looked up.
 * All texts, and then all messages that are left, are read by one scan of an index each, a tenth of the pages that as
 * many look-ups read. Nothing stops these scans when enough is found.
 */
function searchedCandidates(
  narrow: ResolvedNarrow,
  parameters: SqlParameters,
  { hasFlags, more }: Parameters<typeof narrowedCandidates>[2],
): NarrowedCandidates {
  const isSearch = ({ operator }: NarrowTerm): boolean => operator === 'search';
  const search = textSearch(narrow.terms.filter(isSearch), parameters);
  const others = { ...narrow, terms: narrow.terms.filter((term) => !isSearch(term)) };
  const { joins, where, actor } = narrowSql(others, parameters);
  const isOwn = !searchesChannelHistory(narrow);
  const mustReceive = isOwn && !hasFlags;
  const text = `text AS MATERIALIZED (SELECT x.message_id, ${search.columns} FROM message_texts x
    WHERE x.message_id = ANY(ARRAY(SELECT message_id FROM ${mustReceive ? 'received' : 'candidate'})) AND ${search.filter})`;
  const history = `CROSS JOIN LATERAL (
    SELECT * FROM user_messages WHERE user_id = ${actor} AND message_id = m.id OFFSET 0) um`;
  return {
    expressions: mustReceive ? [receivedCandidates(actor), text] : [text],
    sql: `FROM (SELECT * FROM messages WHERE messages.id = ANY(ARRAY(SELECT message_id FROM text)) OFFSET 0) m
      JOIN text ON text.message_id = m.id ${isOwn ? history : ''} ${joins}
      WHERE ${where} AND ${search.condition}${more === undefined ? '' : ` AND ${more(actor)}`}`,
    id: 'm.id',
  };
}

/** The reader's rows of candidates, by one scan of the index: of most streams the reader has received a part. */
const receivedCandidates = (actor: string): string => `received AS MATERIALIZED (
    SELECT user_id, message_id, flags FROM user_messages
    WHERE user_id = ${actor} AND message_id = ANY(ARRAY(SELECT message_id FROM candidate)))`;

/** Joins the text of `messages m` where a term of the narrow searches in it. */
function textOf({ terms }: ResolvedNarrow): string {
  if (!terms.some((term) => term.operator === 'search')) return '';
  return 'CROSS JOIN LATERAL (SELECT * FROM message_texts WHERE message_texts.message_id = m.id OFFSET 0) x';
}

/** True if a narrow searches for words or phrases. Flags are looked up for the messages that have them, then. */
export function searchesText({ terms }: ResolvedNarrow): boolean {
  return terms.some((term) => term.operator === 'search' && !term.negated);
}

function narrowSql(narrow: ResolvedNarrow, parameters: SqlParameters): NarrowSql {
  const { terms, actor } = narrow;
  refuseImpossible(narrow);
  const actorParameter = parameters.add(actor.id);
  const context = { actor, names: narrow.names, terms, parameters };
  const conditions = decisiveTerms(terms)
    .map((term) => termCondition(term, context))
    .filter((condition) => condition !== undefined);
  const joins = conversationJoins(actorParameter);
  if (searchesChannelHistory(narrow)) {
    return {
      joins,
      where: [...conditions, `m.realm_id = ${parameters.add(actor.realmId)}`].join(' AND '),
      actor: actorParameter,
    };
  }
  const readable = channelReadable({ actor: actorParameter, isGuest: parameters.add(isGuest(actor)) });
  return {
    joins,
    where: [
      `um.user_id = ${actorParameter}`,
      `(r.channel_id IS NULL OR ${readable})`,
      ...terms
        .filter(isPositive('id'))
        .map((term) => `um.message_id = ${parameters.add(messageIdOperand(term))}::bigint`),
      ...conditions,
    ].join(' AND '),
    actor: actorParameter,
  };
}

const isPositive =
  (name: string) =>
  ({ operator, negated }: NarrowTerm): boolean =>
    operator === name && !negated;

/**
 * Terms without the channel of a topic, which the topic implies. With both conditions the planner expects a single
 * message, and reads and sorts all messages of the topic.
 */
function decisiveTerms(terms: readonly NarrowTerm[]): readonly NarrowTerm[] {
  return terms.some(isPositive('topic')) ? terms.filter((term) => !isPositive('channel')(term)) : terms;
}

/** True if a narrow selects from the whole history of channels, also what the reader never received. */
export function searchesChannelHistory({ actor, terms, names }: ResolvedNarrow): boolean {
  if (terms.some((term) => term.operator === 'is')) return false;
  return terms.some((term) => {
    if (term.negated) return false;
    if (term.operator === 'channel') return names.channel(term).historyReadable;
    if (term.operator !== 'channels') return false;
    return term.operand === 'web-public' || (term.operand === 'public' && !isGuest(actor));
  });
}

/** Rejects a narrow that cannot match: two channels, or a channel and a direct message. */
function refuseImpossible({ terms, names }: ResolvedNarrow): void {
  const positive = terms.filter((term) => !term.negated);
  const channels = positive.filter((term) => term.operator === 'channel');
  const channelIds = new Set(channels.map((term) => names.channel(term).id));
  const direct = positive.some((term) => term.operator === 'dm' || term.operator === 'dm-with');
  if (channelIds.size > 1 || (channelIds.size > 0 && direct)) {
    throw badNarrow('No message can be both a channel message and direct message');
  }
}
