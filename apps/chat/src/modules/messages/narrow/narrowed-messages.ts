import { type ChatActor, isGuest } from '../../../access/actor.js';
import { channelReadable } from '../../../access/channel-access.js';
import { badNarrow } from '../../../errors.js';
import { historicalFlags } from '../message-flags.js';
import { conversationJoins, messageById, type NarrowedMessages } from './accessible-messages.js';
import { termCondition } from './narrow-conditions.js';
import type { NarrowTerm } from './narrow-terms.js';
import type { NarrowNames } from './resolve-narrow.js';
import type { SqlParameters } from './sql-text.js';

/** Terms of a narrow, with their reader and the names that stand in them. */
export interface ResolvedNarrow {
  readonly actor: ChatActor;
  readonly terms: readonly NarrowTerm[];
  readonly names: NarrowNames;
}

/** A narrow as the middle of a statement. */
interface NarrowSql {
  /** What joins the rest to `um`, or to `messages m` outside of the reader's history. */
  readonly joins: string;
  readonly where: string;
  /** Placeholder of the reader's id. */
  readonly actor: string;
}

/**
 * Turns a narrow into SQL. It searches the reader's own history, or a channel's whole history where a term names one
 * that the reader may read; flags exist in the own history alone, so an `is:` term keeps to it (chat-contract 5.4).
 *
 * @throws AppError BAD_NARROW
 */
export function narrowedMessages(narrow: ResolvedNarrow, parameters: SqlParameters): NarrowedMessages {
  const { joins, where, actor } = narrowSql(narrow, parameters);
  if (searchesChannelHistory(narrow)) {
    return {
      from: `messages m ${joins}`,
      where,
      id: 'm.id',
      // Looked up for each message that is shown: joined, the planner may read all that the reader ever received.
      flags: `coalesce((SELECT um.flags FROM user_messages um
        WHERE um.user_id = ${actor} AND um.message_id = m.id), ${historicalFlags})`,
    };
  }
  return { from: `user_messages um ${joins}`, where, id: 'um.message_id', flags: 'um.flags' };
}

/**
 * A narrow over rows `candidate` as FROM and WHERE clauses that look up each candidate by its id.
 *
 * @param isHistory Whether the candidates are rows of the reader's history, with the columns of `user_messages`.
 * @param more A further condition, made with the placeholder of the reader's id.
 */
export function narrowedCandidates(
  narrow: ResolvedNarrow,
  parameters: SqlParameters,
  { isHistory, more }: { readonly isHistory: boolean; readonly more?: ((actor: string) => string) | undefined },
): string {
  const { joins, where, actor } = narrowSql(narrow, parameters);
  const conditions = more === undefined ? where : `${where} AND ${more(actor)}`;
  if (isHistory) {
    return `FROM candidate CROSS JOIN LATERAL (
      SELECT candidate.user_id, candidate.message_id, candidate.flags) um ${joins} WHERE ${conditions}`;
  }
  if (searchesChannelHistory(narrow)) {
    return `FROM candidate ${messageById('candidate.message_id')} ${joins} WHERE ${conditions}`;
  }
  return `FROM candidate CROSS JOIN LATERAL (SELECT * FROM user_messages
    WHERE user_id = ${actor} AND message_id = candidate.message_id OFFSET 0) um ${joins} WHERE ${conditions}`;
}

function narrowSql(narrow: ResolvedNarrow, parameters: SqlParameters): NarrowSql {
  const { terms, actor } = narrow;
  refuseImpossible(narrow);
  const actorParameter = parameters.add(actor.id);
  const context = { actor, names: narrow.names, parameters };
  const conditions = terms.map((term) => termCondition(term, context)).filter((condition) => condition !== undefined);
  if (searchesChannelHistory(narrow)) {
    return {
      joins: conversationJoins(actorParameter),
      where: [...conditions, `m.realm_id = ${parameters.add(actor.realmId)}`].join(' AND '),
      actor: actorParameter,
    };
  }
  const readable = channelReadable({ actor: actorParameter, isGuest: parameters.add(isGuest(actor)) });
  return {
    joins: `${messageById('um.message_id')} ${conversationJoins(actorParameter)}`,
    where: [`um.user_id = ${actorParameter}`, `(r.channel_id IS NULL OR ${readable})`, ...conditions].join(' AND '),
    actor: actorParameter,
  };
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

/** Two channels at once, or a channel and a direct message, select nothing: a mistake worth telling. */
function refuseImpossible({ terms, names }: ResolvedNarrow): void {
  const positive = terms.filter((term) => !term.negated);
  const channels = positive.filter((term) => term.operator === 'channel');
  const channelIds = new Set(channels.map((term) => names.channel(term).id));
  const direct = positive.some((term) => term.operator === 'dm' || term.operator === 'dm-with');
  if (channelIds.size > 1 || (channelIds.size > 0 && direct)) {
    throw badNarrow('No message can be both a channel message and direct message');
  }
}
