import type { QueueLogger } from '../environment.js';
import { QueueUsageError } from '../queue-usage-error.js';
import type { EventLogOptions } from './event-log-options.js';
import type { EventLogStoreConnection } from './event-log-store.js';
import type { EventLogTables } from './number-log-rows.js';
import { connectEventLogToRedis } from './redis-store-connection.js';
import { connectEventLogToTables } from './table-store-connection.js';

interface EventLogStoreOptions extends Pick<EventLogOptions, 'redis' | 'store'> {
  tables: EventLogTables;
  /** Prefix of all Redis keys. */
  prefix: string;
  logger: QueueLogger;
}

/**
 * Connects an event log to its store: Redis, or tables of the schema.
 *
 * @throws QueueUsageError unless exactly one store is given
 */
export function connectEventLogStore({
  redis,
  store,
  tables,
  prefix,
  logger,
}: EventLogStoreOptions): EventLogStoreConnection {
  if (redis !== undefined && store === undefined) return connectEventLogToRedis(redis, prefix, logger);
  if (redis === undefined && store === 'tables') return connectEventLogToTables(tables, logger);
  throw new QueueUsageError("An event log requires either `redis` or `store: 'tables'`");
}
