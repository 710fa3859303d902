import { createBadRequestError } from '../../errors.js';

/** Numbers of days by the name of a message retention setting. Null means that the realm's setting applies. */
const retentionDaysByName: Readonly<Record<string, number | null>> = {
  realm_default: null,
  unlimited: -1,
  forever: -1,
};

/**
 * Parses the message retention of a channel: a number of days, `realm_default` or `unlimited`, with or without JSON
 * quotes. Returns the number of days, null for the realm's setting, or -1 for messages that never expire.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export function parseRetentionDays(text: string): number | null {
  const value = text.replace(/^"(.*)"$/, '$1');
  const known = Object.hasOwn(retentionDaysByName, value) ? retentionDaysByName[value] : undefined;
  if (known !== undefined) return known;
  const days = Number(value);
  if (!/^\d{1,9}$/.test(value) || days === 0) throw createBadRequestError('Bad value for message_retention_days');
  return days;
}
