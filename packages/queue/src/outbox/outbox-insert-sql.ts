import { QueueUsageError } from '../queue-usage-error.js';
import type { OutboxMessageType } from './outbox-message-type.js';

/** SQL parts of a statement that inserts outbox rows: the source of the rows, and an expression for each column. */
export interface OutboxInsertSqlParts {
  readonly from: string;
  /** SQL expression for the payload of an outbox row, of type json. */
  readonly payload: string;
  readonly key?: string;
  readonly context: string;
  /** SQL expression for the outbox column `source`, of type text; an empty string by default. */
  readonly source?: string;
}

/**
 * Returns an SQL INSERT of one outbox row for each row of `parts.from`.
 *
 * @throws QueueUsageError when an ordered message type gets no key, or the writers do not lock the keys
 */
export function createOutboxInsertSql<P, I>(
  schema: string,
  topic: OutboxMessageType<P, I>,
  parts: OutboxInsertSqlParts,
): string {
  if (topic.order === 'key' && parts.key === undefined) {
    throw new QueueUsageError(`Outbox messages ${topic.name} are ordered by key: a key is required`);
  }
  if (topic.locksKeys) {
    throw new QueueUsageError(
      `Outbox messages ${topic.name} need locks on their keys, which an INSERT of the caller does not take`,
    );
  }
  const columns = [
    `'${topic.name}'`,
    parts.source ?? "''",
    topic.version,
    parts.payload,
    parts.key ?? 'NULL',
    `${parts.context}::json`,
  ];
  return `INSERT INTO ${schema}.outbox (topic, realm, version, payload, key, context) SELECT ${columns.join(', ')} FROM ${parts.from}`;
}
