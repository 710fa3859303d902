import { type ChatActor, isGuest } from '../../../access/actor.js';
import { channelReadable } from '../../../access/channel-access.js';
import { badNarrow } from '../../../errors.js';
import { historicalFlags } from '../message-flags.js';
import { conversationJoins, type NarrowedMessages } from './accessible-messages.js';
import { termCondition } from './narrow-conditions.js';
import type { NarrowTerm } from './narrow-terms.js';
import type { NarrowNames } from './resolve-narrow.js';
import type { SqlParameters } from './sql-text.js';

/** What a narrow is turned into SQL with. */
export interface NarrowContext {
  readonly actor: ChatActor;
  readonly names: NarrowNames;
  readonly parameters: SqlParameters;
}

/**
 * Turns a narrow into SQL. It searches the reader's own history, or a channel's whole history where a term names one
 * that the reader may read; flags exist in the own history alone, so an `is:` term keeps to it (chat-contract 5.4).
 *
 * @throws AppError BAD_NARROW
 */
export function narrowedMessages(terms: readonly NarrowTerm[], context: NarrowContext): NarrowedMessages {
  refuseImpossible(terms, context.names);
  const { parameters, actor } = context;
  const actorParameter = parameters.add(actor.id);
  const conditions = terms.map((term) => termCondition(term, context)).filter((condition) => condition !== undefined);
  if (searchesChannelHistory(terms, context)) {
    return {
      from: `messages m ${conversationJoins(actorParameter)}`,
      where: [...conditions, `m.realm_id = ${parameters.add(actor.realmId)}`].join(' AND '),
      id: 'm.id',
      // Looked up for each message that is shown: joined, the planner may read all that the reader ever received.
      flags: `coalesce((SELECT um.flags FROM user_messages um
        WHERE um.user_id = ${actorParameter} AND um.message_id = m.id), ${historicalFlags})`,
    };
  }
  const readable = channelReadable({ actor: actorParameter, isGuest: parameters.add(isGuest(actor)) });
  return {
    from: `user_messages um JOIN messages m ON m.id = um.message_id ${conversationJoins(actorParameter)}`,
    where: [`um.user_id = ${actorParameter}`, `(r.channel_id IS NULL OR ${readable})`, ...conditions].join(' AND '),
    id: 'um.message_id',
    flags: 'um.flags',
  };
}

function searchesChannelHistory(terms: readonly NarrowTerm[], { actor, names }: NarrowContext): boolean {
  if (terms.some((term) => term.operator === 'is')) return false;
  return terms.some((term) => {
    if (term.negated) return false;
    if (term.operator === 'channel') return names.channel(term).historyReadable;
    if (term.operator !== 'channels') return false;
    return term.operand === 'web-public' || (term.operand === 'public' && !isGuest(actor));
  });
}

/** Two channels at once, or a channel and a direct message, select nothing: a mistake worth telling. */
function refuseImpossible(terms: readonly NarrowTerm[], names: NarrowNames): void {
  const positive = terms.filter((term) => !term.negated);
  const channels = positive.filter((term) => term.operator === 'channel');
  const channelIds = new Set(channels.map((term) => names.channel(term).id));
  const direct = positive.some((term) => term.operator === 'dm' || term.operator === 'dm-with');
  if (channelIds.size > 1 || (channelIds.size > 0 && direct)) {
    throw badNarrow('No message can be both a channel message and direct message');
  }
}
