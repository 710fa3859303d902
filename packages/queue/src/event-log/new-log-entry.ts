import { EVENT_LOG_TOPIC } from '../outbox/outbox-message-type.js';
import type { NewOutboxRow } from '../outbox/outbox-row-buffer.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { encodeAudience, type Audience } from './audience.js';
import { EntryTooLongError } from './event-log-errors.js';

/** An entry that a transaction writes to the event log of a realm. */
export interface NewLogEntry {
  realm: string;
  /** All recipients of the log entry. Other users never receive the entry. */
  audience: Audience;
  /**
   * Event that clients receive. It must be created from data that the transaction wrote or locked
   * (docs/contract/event-log.md 2.2). The event has no field `id`.
   */
  event: object;
  /** Maximum number of client events that a renderer may create from the log entry. Default 1. */
  weight?: number;
  /** Additional fields that renderers use to filter events. Clients do not receive these fields. */
  about?: object;
}

/**
 * Returns the outbox row of a log entry.
 *
 * @throws EntryTooLongError when the entry has more than `maxLength` characters
 * @throws QueueUsageError if the event has a field `id`, or if the audience or the weight is invalid
 */
export function createLogEntryOutboxRow(entry: NewLogEntry, maxLength: number): Omit<NewOutboxRow, 'context'> {
  const weight = entry.weight ?? 1;
  if ('id' in entry.event) throw new QueueUsageError('An event must not have a field id: its number is the id');
  if (!Number.isInteger(weight) || weight < 1) throw new QueueUsageError(`Entry weight ${weight} is invalid`);
  const payload = JSON.stringify({ event: entry.event, about: entry.about });
  if (payload.length > maxLength) throw new EntryTooLongError(payload.length, maxLength);
  return {
    topic: EVENT_LOG_TOPIC,
    realm: entry.realm,
    version: 1,
    payload,
    key: null,
    notBefore: null,
    audience: encodeAudience(entry.audience),
    weight,
  };
}
