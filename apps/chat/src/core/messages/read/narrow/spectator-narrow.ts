import { createBadNarrowError, chatErrors } from '../../../../errors.js';
import type { NarrowTerm } from './parse-narrow-terms.js';

/** Narrow operators that depend on the messages that a user has received, and therefore require an account. */
const narrowOperatorsRequiringAccount: ReadonlySet<string> = new Set(['is', 'in', 'dm', 'dm-with', 'group-pm-with']);

/**
 * Checks the narrow (filter) of a client without an account, which may read only web-public channels. The narrow must
 * name a channel, or all web-public channels (docs/contract/chat.md 5.4).
 * @throws ApplicationError BAD_NARROW for operators of a personal history; UNAUTHORIZED if no channel is named
 */
export function checkSpectatorNarrow(terms: readonly NarrowTerm[]): void {
  const refused = terms.find((term) => narrowOperatorsRequiringAccount.has(term.operator) || term.operand === 'me');
  if (refused !== undefined) throw createBadNarrowError(`${refused.operator} needs an account`);
  const namesChannels = terms.some(
    ({ operator, operand, negated }) =>
      !negated && (operator === 'channel' || (operator === 'channels' && operand === 'web-public')),
  );
  if (!namesChannels) throw chatErrors.create('UNAUTHORIZED');
}
