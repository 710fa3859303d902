import { QueueUsageError } from './queue-usage-error.js';

/** Maximum length of a text key in UTF-16 code units, so that every key fits into an index entry of PostgreSQL. */
const MAX_TEXT_KEY_LENGTH = 500;

/**
 * Checks a key that PostgreSQL stores in an index.
 *
 * @param kind name of the key in the error message
 * @throws QueueUsageError when the key is empty, longer than 500 characters, or contains U+0000 or half of a surrogate
 *   pair
 */
export function assertTextKey(kind: string, key: string): void {
  if (key.length === 0 || key.length > MAX_TEXT_KEY_LENGTH || key.includes('\0') || !key.isWellFormed()) {
    const text = JSON.stringify(key.slice(0, 100));
    throw new QueueUsageError(
      `${kind} ${text} must have 1 to ${MAX_TEXT_KEY_LENGTH} valid characters other than U+0000`,
    );
  }
}
