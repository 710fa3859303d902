import { createBadRequestError } from '../../errors.js';

const timezonePattern = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

/**
 * Checks that a text is the IANA identifier of a time zone, or empty.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export function checkTimezone(sent: string): void {
  if (sent !== '' && !isTimezone(sent)) throw createBadRequestError('timezone is not a recognized time zone');
}

function isTimezone(name: string): boolean {
  if (!timezonePattern.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
