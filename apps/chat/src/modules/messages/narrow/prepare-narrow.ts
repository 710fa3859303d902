import type { Tx } from '@switchboard/database';
import type { z } from 'zod';
import type { ChatActor } from '../../../access/actor.js';
import { isSpectator } from '../../../access/spectator.js';
import type { NarrowedMessages } from './accessible-messages.js';
import { followConversation } from './conversation-term.js';
import { findFewMatches } from './few-matches.repository.js';
import { narrowedMessages } from './narrowed-messages.js';
import { type narrowParameter, type NarrowTerm, narrowTerms } from './narrow-terms.js';
import { resolveNarrow } from './resolve-narrow.js';
import { checkSearches, type SearchTerms, searchTerms } from './search-terms.js';
import { checkSpectatorNarrow } from './spectator-narrow.js';
import { SqlParameters } from './sql-text.js';

/** A narrow that was read, checked and turned into SQL for one reader. */
export interface PreparedNarrow {
  readonly narrowed: NarrowedMessages;
  /** The values of {@link narrowed}; more may be added. */
  readonly parameters: SqlParameters;
  /** Whether one channel is named. */
  readonly namesChannel: boolean;
  /** What is searched for; null where there is no such term. */
  readonly search: readonly SearchTerms[] | null;
}

/**
 * Reads a narrow for a reader: at most three statements look up what its terms name, and one
 * what they search for; none where they do neither.
 *
 * @throws AppError BAD_NARROW; UNAUTHORIZED for a spectator who names no channel.
 */
export async function prepareNarrow(
  tx: Tx,
  actor: ChatActor,
  narrow: z.infer<typeof narrowParameter>,
): Promise<PreparedNarrow> {
  const asked = narrowTerms(narrow);
  if (isSpectator(actor)) checkSpectatorNarrow(asked);
  const { terms, isEmpty } = await followConversation(tx, actor, asked);
  const names = await resolveNarrow(tx, actor, terms);
  const searches = terms.filter((term) => term.operator === 'search');
  checkSearches(searches);
  const found = await findMatches(tx, actor, searches);
  const parameters = new SqlParameters();
  const left = terms.filter((term) => found === null || term.negated || term.operator !== 'search');
  const narrowed = narrowedMessages(left, { actor, names, parameters });
  return {
    narrowed: isEmpty ? withCondition(narrowed, 'false') : withMatches(narrowed, found, parameters),
    parameters,
    namesChannel: terms.some((term) => term.operator === 'channel' && !term.negated),
    search: searches.length === 0 ? null : searches.filter((term) => !term.negated).map(searchTerms),
  };
}

/** Ids of what is searched for, when they are few; null when there are many, or nothing is searched for. */
async function findMatches(tx: Tx, actor: ChatActor, searches: readonly NarrowTerm[]): Promise<number[] | null> {
  const wanted = searches.filter((term) => !term.negated);
  return wanted.length === 0 ? null : findFewMatches(tx, actor.realmId, wanted);
}

function withMatches(narrowed: NarrowedMessages, found: number[] | null, parameters: SqlParameters): NarrowedMessages {
  return found === null
    ? narrowed
    : withCondition(narrowed, `${narrowed.id} = ANY(${parameters.add(found)}::bigint[])`);
}

function withCondition(narrowed: NarrowedMessages, condition: string): NarrowedMessages {
  return { ...narrowed, where: `${narrowed.where} AND ${condition}` };
}
