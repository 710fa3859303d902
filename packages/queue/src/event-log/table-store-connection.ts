import type { QueuePool } from '../database.js';
import { formatErrorText, type QueueLogger } from '../environment.js';
import { EventLogInUseError } from './event-log-errors.js';
import type { EventLogStoreConnection } from './event-log-store.js';
import type { EventLogTables } from './number-log-rows.js';
import { ProcessChannels } from './process-channels.js';
import { EventLogTableLock } from './event-log-table-lock.js';
import { TableEventLogStore } from './table-log-store.js';

/**
 * Time for which a process waits at its start until another process has unlocked the tables, in milliseconds. A process
 * that replaces another one usually starts before the other one has ended.
 */
const FIRST_LOCK_WAIT_MS = 5_000;

/** Lock and channels that the event logs of this process share, for one schema of one pool. */
interface SharedTables {
  readonly lock: EventLogTableLock;
  readonly channels: ProcessChannels;
  readonly onLocked: Set<() => void>;
  userCount: number;
}

const sharedTablesByPool = new WeakMap<QueuePool, Map<string, SharedTables>>();

/** Connects an event log to the tables of its schema. The event logs of this process on one pool share the lock. */
export function connectEventLogToTables(tables: EventLogTables, logger: QueueLogger): EventLogStoreConnection {
  const shared = openSharedTables(tables);
  const { lock, channels } = shared;
  const subscriber = channels.addSubscriber();
  const store = new TableEventLogStore(tables, lock, channels);
  const listeners: (() => void)[] = [];
  let isClosed = false;
  return {
    store,
    appendStore: store,
    subscriber,
    firstAttempt: lock.lock(FIRST_LOCK_WAIT_MS).catch((error: unknown) => {
      const fields = { error: formatErrorText(error) };
      if (error instanceof EventLogInUseError) logger.error(fields, 'the event log was refused');
      else logger.warn(fields, 'the tables of the event log could not be locked yet');
    }),
    onAvailable: (listener) => {
      listeners.push(listener);
      shared.onLocked.add(listener);
    },
    confirm: () => lock.confirm(),
    waitUntilStoreResponds: (timeoutMs) => lock.lockWithin(timeoutMs),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      channels.removeSubscriber(subscriber);
      for (const listener of listeners) shared.onLocked.delete(listener);
      await closeSharedTables(tables, shared);
    },
  };
}

function openSharedTables(tables: EventLogTables): SharedTables {
  const bySchema = sharedTablesByPool.get(tables.pool) ?? new Map<string, SharedTables>();
  sharedTablesByPool.set(tables.pool, bySchema);
  const existing = bySchema.get(tables.schema);
  if (existing) {
    existing.userCount += 1;
    return existing;
  }
  const channels = new ProcessChannels();
  const onLocked = new Set<() => void>();
  const lock = new EventLogTableLock(tables, () => {
    channels.reportInterruption();
    for (const listener of onLocked) listener();
  });
  const opened = { lock, channels, onLocked, userCount: 1 };
  bySchema.set(tables.schema, opened);
  return opened;
}

async function closeSharedTables({ pool, schema }: EventLogTables, shared: SharedTables): Promise<void> {
  shared.userCount -= 1;
  if (shared.userCount > 0) return;
  sharedTablesByPool.get(pool)?.delete(schema);
  await shared.lock.release();
}
