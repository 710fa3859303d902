import type { NumberedOutboxRow } from './log-entry.js';

/**
 * Approximate maximum length of the texts in one append. The driver writes each column of the rows as one text, and a
 * text of JavaScript has at most 512 million characters.
 */
const MAX_APPEND_LENGTH = 16 * 1024 * 1024;

/** Divides rows into parts of about {@link MAX_APPEND_LENGTH}, with at least one row in each part. */
export function divideRowsByLength(rows: readonly NumberedOutboxRow[]): NumberedOutboxRow[][] {
  const parts: NumberedOutboxRow[][] = [];
  let length = Infinity;
  for (const row of rows) {
    const rowLength = row.audience.length + row.payload.length;
    if (length + rowLength > MAX_APPEND_LENGTH) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(row);
    length += rowLength;
  }
  return parts;
}
