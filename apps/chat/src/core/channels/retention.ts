import { badRequest } from '../../errors.js';

/** Names of the values that are no number of days. */
const named: Readonly<Record<string, number | null>> = { realm_default: null, unlimited: -1, forever: -1 };

/**
 * Returns the retention of a channel's messages from the form of clients: days, `realm_default` or `unlimited`, quoted
 * as JSON or not. Null: as the realm says; -1: for ever.
 *
 * @throws AppError BAD_REQUEST
 */
export function retentionDays(text: string): number | null {
  const value = text.replace(/^"(.*)"$/, '$1');
  const known = Object.hasOwn(named, value) ? named[value] : undefined;
  if (known !== undefined) return known;
  const days = Number(value);
  if (!/^\d{1,9}$/.test(value) || days === 0) throw badRequest('Bad value for message_retention_days');
  return days;
}
