import type { Tx } from '@switchboard/database';
import { declareHeavyDatabaseWork } from '@switchboard/platform';
import type { z } from 'zod';
import type { ChatActor } from '../../../../infra/http/chat-actor.js';
import { isSpectator } from '../../../access/spectator-actor.js';
import { replaceWithTermByConversation } from './conversation-terms.js';
import { createNarrowedMessages, type ResolvedNarrow } from './narrow-sql.js';
import { type narrowParameter, narrowTermsSchema } from './parse-narrow-terms.js';
import { resolveNarrowChannelsAndUsers } from './resolve-narrow.js';
import { checkSearchLimits, type SearchTerms, parseSearchTerms } from './search-terms.js';
import { checkSpectatorNarrow } from './spectator-narrow.js';
import { NumberedSqlParameters } from './numbered-sql-parameters.js';

/** A narrow (message filter) of one reader that has been parsed and checked. */
export interface ParsedAndCheckedNarrow extends ResolvedNarrow {
  /** True if the narrow (filter) matches no message, whatever its terms are. */
  readonly isEmpty: boolean;
  /** True if a term of the narrow (filter) names a channel. */
  readonly namesChannel: boolean;
  /** Parsed operands of the `search` terms of a narrow (filter); null if the narrow has no `search` terms. */
  readonly search: readonly SearchTerms[] | null;
}

/**
 * Parses and checks a narrow (filter) for a reader. Executes at most three SQL statements to look up the objects that
 * the terms name.
 * @throws ApplicationError BAD_NARROW; UNAUTHORIZED for a spectator who names no channel
 */
export async function parseAndCheckNarrow(
  tx: Tx,
  actor: ChatActor,
  narrow: z.infer<typeof narrowParameter>,
): Promise<ParsedAndCheckedNarrow> {
  const asked = narrowTermsSchema(narrow);
  if (isSpectator(actor)) checkSpectatorNarrow(asked);
  const { terms, isEmpty } = await replaceWithTermByConversation(tx, actor, asked);
  const names = await resolveNarrowChannelsAndUsers(tx, actor, terms);
  const searches = terms.filter((term) => term.operator === 'search');
  checkSearchLimits(searches);
  if (searches.length > 0) declareHeavyDatabaseWork();
  const resolved = { actor, terms, names };
  // Rejects terms that cannot be converted to SQL, before any message is read.
  createNarrowedMessages(resolved, new NumberedSqlParameters());
  return {
    ...resolved,
    isEmpty,
    namesChannel: terms.some((term) => term.operator === 'channel' && !term.negated),
    search: searches.length === 0 ? null : searches.filter((term) => !term.negated).map(parseSearchTerms),
  };
}
