/**
 * Class of database work. Each class has a share of the connections and a separate queue:
 *
 * - `authentication`: credentials of requests, sign-in
 * - `short`: reads and writes of requests that take milliseconds, and dispatching
 * - `heavy`: registrations, searches, exports, and connections whose statement has run for 100 ms
 * - `background`: retention, sweeps and other work that no request waits for
 */
export type DatabaseWorkClass = 'authentication' | 'short' | 'heavy' | 'background';

/** All classes of database work, in the order in which they get free connections. */
export const databaseWorkClasses: readonly DatabaseWorkClass[] = ['authentication', 'short', 'heavy', 'background'];

/** Class and user of database work that requests a connection. The class may change during a request. */
export interface DatabaseWorkload {
  readonly kind: DatabaseWorkClass;
  /**
   * User for whom the work is done. Users take turns, and at most two pieces of heavy work run for one user at a time.
   * Work with an undefined user belongs to the service, which counts as one user without that limit.
   */
  readonly user?: string | undefined;
}

/** Class of short database work that belongs to the service itself. */
export const serviceWorkload: DatabaseWorkload = { kind: 'short' };

/** Class of heavy reads whose result several requests share. */
export const sharedReadWorkload: DatabaseWorkload = { kind: 'heavy' };
