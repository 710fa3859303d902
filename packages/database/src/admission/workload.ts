/**
 * Class of database work. Each class has a share of the connections and a separate queue:
 *
 * - `authentication`: credentials of requests, sign-in
 * - `short`: reads and writes of requests that take milliseconds, and dispatching
 * - `heavy`: registrations, searches, exports, and connections whose statement has run for 100 ms
 * - `background`: retention, sweeps and other work that no request waits for
 */
export type WorkClass = 'authentication' | 'short' | 'heavy' | 'background';

/** All classes, in the order in which they get free connections. */
export const workClasses: readonly WorkClass[] = ['authentication', 'short', 'heavy', 'background'];

/** Class and user of the work that requests a connection. It may change in the course of a request. */
export interface Workload {
  readonly kind: WorkClass;
  /**
   * User for whom the work is done. Users take turns, and at most two pieces of heavy work run for one user. If
   * undefined, the work belongs to the service, which counts as one user without that limit.
   */
  readonly user?: string | undefined;
}

/** Workload of short work that belongs to the service itself. */
export const serviceWork: Workload = { kind: 'short' };

/** Workload of heavy reads whose result is shared by requests of several users. */
export const snapshotWork: Workload = { kind: 'heavy' };
