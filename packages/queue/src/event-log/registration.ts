import { randomUUID } from 'node:crypto';
import type { QueueTx } from '../database.js';
import type { OnFaultPoint } from '../fault-points.js';
import { QueueUsageError } from '../usage-error.js';
import { EventLogUnavailableError } from './errors.js';
import type { LogDispatcher } from './log-dispatcher.js';
import type { LogStore } from './log-store.js';
import type { SharedSnapshots } from './shared-snapshots.js';

/** Options of registering an event queue. */
export interface RegisterOptions {
  realm: string;
  /**
   * Owner of the event queue; only the owner's client may poll it. If it is a decimal number, it is the user id in
   * `users` of audiences.
   */
  owner: string;
  /**
   * Roles of the owner, which `roles` of audiences select. They never change: when the owner loses a role, the event
   * queue must be removed.
   */
  roles?: readonly string[];
  /** Time without a poll after which the event queue expires, in seconds. */
  idleTimeoutSeconds: number;
  /** Filter of the event queue, which the renderer gets with each entry. */
  filter: object;
  /** Capabilities of the client, which the renderer gets with each entry. */
  capabilities: object;
  /**
   * Returns an error if the client has disconnected; a waiting registration then fails without reading its snapshot.
   */
  abandoned?: () => Error | undefined;
}

/** A registered event queue and the snapshot that its events continue. */
export interface RegisteredQueue<T> {
  queueId: string;
  lastEventId: -1;
  snapshot: T;
}

/** Time for which an unfinished registration remains, in milliseconds. It is longer than reading any snapshot takes. */
const REGISTRATION_GRACE_MS = 120_000;
/**
 * Maximum number of attempts to register an event queue before Redis counts as unavailable. A registration starts again
 * when Redis has lost it, or when the queues of its owner were removed, for example by a role change. This may happen
 * several times during one snapshot.
 */
const MAX_ATTEMPTS = 20;

/**
 * Registers an event queue (docs/contract/event-log.md 4). Every change reaches the client exactly once, in the
 * snapshot or as an event.
 */
export async function registerQueue<T>(
  parts: {
    snapshots: SharedSnapshots;
    store: LogStore;
    dispatcher: LogDispatcher;
    faultPoint?: OnFaultPoint | undefined;
  },
  options: RegisterOptions,
  snapshot: (tx: QueueTx) => Promise<T>,
): Promise<RegisteredQueue<T>> {
  const { snapshots, store, dispatcher, faultPoint } = parts;
  const { realm } = options;
  if (!(options.idleTimeoutSeconds > 0)) throw new QueueUsageError('idleTimeoutSeconds must be positive');
  // Assigns numbers first, so that the list of rows to skip stays short even after a long outage of Redis.
  const numbered = await dispatcher.assign(realm);
  // The client does not wait for the append. If it fails, the sweep appends the rows.
  dispatcher.append(realm, numbered).catch(() => {});
  const fields = queueFields(options);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const queueId = randomUUID();
    // The queue is recorded before the snapshot, so that later entries are not trimmed.
    await store.record(realm, queueId, REGISTRATION_GRACE_MS, fields);
    faultPoint?.('event-log.between-2-and-3');
    const { start, data } = await snapshots.read(realm, {
      owner: options.owner,
      snapshot,
      abandoned: options.abandoned,
    });
    faultPoint?.('event-log.between-3-and-4');
    const leaseMs = options.idleTimeoutSeconds * 1000;
    if (await store.finalize(realm, queueId, { ...start, leaseMs })) {
      return { queueId, lastEventId: -1, snapshot: data };
    }
  }
  throw new EventLogUnavailableError('The registration was lost or removed repeatedly');
}

function queueFields(options: RegisterOptions): Record<string, string> {
  return {
    owner: options.owner,
    user: /^\d{1,10}$/.test(options.owner) ? options.owner : '',
    roles: (options.roles ?? []).join(','),
    idle: String(Math.ceil(options.idleTimeoutSeconds * 1000)),
    filter: JSON.stringify(options.filter),
    capabilities: JSON.stringify(options.capabilities),
  };
}
