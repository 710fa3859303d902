import type { NewOutboxRow } from '../outbox/outbox-row-buffer.js';

/** State of a committed outbox row in memory. */
export type MemoryOutboxRowState = 'waiting' | 'dispatched' | 'dead-letter' | 'discarded';

/** A committed outbox row in memory. Times are in milliseconds since 1970. */
export interface MemoryOutboxRow {
  readonly id: number;
  readonly row: NewOutboxRow;
  readonly createdMs: number;
  state: MemoryOutboxRowState;
  attempts: number;
  error: string | null;
  /** Earliest time of the next dispatch of the outbox row, in milliseconds since 1970. */
  readyMs: number;
  deadLetteredMs: number | null;
}

/** Returns the row in memory for an outbox row that a transaction has committed. */
export function toMemoryOutboxRow(id: number, row: NewOutboxRow, nowMs: number): MemoryOutboxRow {
  return {
    id,
    row,
    createdMs: nowMs,
    state: 'waiting',
    attempts: 0,
    error: null,
    readyMs: row.notBefore?.getTime() ?? nowMs,
    deadLetteredMs: null,
  };
}
