import { listRealmsWithLogsAfter, type EventLogTables } from './number-log-rows.js';
import type { EventLogStore } from './event-log-store.js';

/** State of the event log of a realm. Positions count the events of the log. */
export interface RealmLogState {
  readonly realm: string;
  /** Last position that PostgreSQL has assigned. */
  readonly position: number;
  /** Last position in the store of the log (Redis, or tables). Clients receive events up to this position. */
  readonly storedPosition: number;
  /** Number of assigned positions that are not in the store yet. */
  readonly lag: number;
  /** Number of event queues of the realm. */
  readonly queues: number;
}

/** Selection of realms in a list. */
export interface RealmLogFilter {
  /** Name of the realm after which the list begins. Default: the list begins with the first realm. */
  readonly after?: string | undefined;
  /** Maximum number of listed realms, at most 1,000. Default 100. */
  readonly limit?: number | undefined;
}

/** Default of {@link RealmLogFilter.limit}. */
const DEFAULT_LISTED_REALMS = 100;

/** Maximum number of realms that one list contains. */
const MAX_LISTED_REALMS = 1_000;

/** Lists the event logs of realms in the order of their names. */
export async function listRealmLogs(
  tables: EventLogTables,
  store: EventLogStore,
  { after, limit = DEFAULT_LISTED_REALMS }: RealmLogFilter,
): Promise<RealmLogState[]> {
  const realms = await listRealmsWithLogsAfter(tables, after ?? null, Math.min(limit, MAX_LISTED_REALMS));
  return Promise.all(
    realms.map(async ({ realm, position }) => {
      const { last, queues } = await store.readLogStatusWithQueueCount(realm);
      return { realm, position, storedPosition: last, lag: Math.max(0, position - last), queues };
    }),
  );
}
