import { divideBySize } from '../size-limits.js';
import type { NumberedOutboxRow } from './log-entry.js';

/**
 * Approximate maximum length of the texts in one append. The driver writes each column of the rows as one text, and a
 * text of JavaScript has at most 512 million characters.
 */
const MAX_APPEND_LENGTH = 16 * 1024 * 1024;

/** Divides rows into parts of about {@link MAX_APPEND_LENGTH}, with at least one row in each part. */
export const divideRowsByLength = (rows: readonly NumberedOutboxRow[]): NumberedOutboxRow[][] =>
  divideBySize(rows, MAX_APPEND_LENGTH, ({ audience, payload }) => audience.length + payload.length);
