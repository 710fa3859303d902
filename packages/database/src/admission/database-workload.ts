/**
 * Class of database work. Each class has a share of the connections and a separate queue:
 *
 * - `authentication`: checks of request credentials, and sign-in
 * - `short`: reads and writes that take milliseconds, and the dispatch of events and jobs
 * - `heavy`: registrations, searches, exports, and connections whose statement has run for 100 ms
 * - `background`: deletion of old data, periodic cleanup, and other work for which no request waits
 */
export type DatabaseWorkClass = 'authentication' | 'short' | 'heavy' | 'background';

/** All classes of database work, in the order in which the classes get free connections. */
export const databaseWorkClasses: readonly DatabaseWorkClass[] = ['authentication', 'short', 'heavy', 'background'];

/** Class and user of the database work that requests a connection. The class may change during a request. */
export interface DatabaseWorkClassAndUser {
  readonly kind: DatabaseWorkClass;
  /**
   * User for whom the database work is done. Users get connections in turn, and at most two pieces of heavy work run
   * for one user at a time. If undefined, the work belongs to the service itself. The service counts as one user,
   * without the limit for heavy work.
   */
  readonly user?: string | undefined;
}

/** Workload of short database work that belongs to the service itself, not to a user. */
export const serviceDatabaseWorkload: DatabaseWorkClassAndUser = { kind: 'short' };

/** Workload of heavy reads whose result is shared by several requests. */
export const sharedReadDatabaseWorkload: DatabaseWorkClassAndUser = { kind: 'heavy' };
