import { randomUUID } from 'node:crypto';
import type { QueueTx } from '../database.js';
import type { OnFaultPoint } from '../fault-points.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { userIdOfOwner } from './audience.js';
import type { MissedEventReader } from './missed-event-reader.js';
import { EventLogUnavailableError } from './event-log-errors.js';
import { toClientPosition } from './event-ids.js';
import { toCachedEventQueue } from './event-queue-cache.js';
import type { LogDispatcher } from './log-dispatcher.js';
import type { RedisLogStore, StoredQueue } from './redis-log-store.js';
import type { ClientEvent, LogEntryRenderer } from './event-queue-view.js';
import type { EventQueueStart, SharedSnapshotReader } from './shared-snapshot-reader.js';

/** Options of the registration of an event queue. */
export interface RegisterOptions {
  realm: string;
  /**
   * Owner of the event queue; only the owner's client may poll it. If the owner has the form of a user id (an integer,
   * or a text such as a UUID), `users` of audiences can contain the owner.
   */
  owner: string;
  /**
   * Roles of the owner, used to match `roles` of audiences. The roles of a queue never change: when the owner loses a
   * role, the event queue must be removed.
   */
  roles?: readonly string[];
  /** Time without a poll after which the event queue expires, in seconds. */
  idleTimeoutSeconds: number;
  /** Filter of the event queue. The renderer gets the filter with each log entry. */
  filter: object;
  /** Capabilities of the client. The renderer gets the capabilities with each log entry. */
  capabilities: object;
  /**
   * Description of the snapshot: all options that determine its content and form. A client can continue the event queue
   * only in a registration with an equal description, filter, capabilities and roles. Default `{}`.
   */
  snapshot?: object;
  /** Former event queue of the client. The client requests the events since that queue in place of a snapshot. */
  lastKnown?: PreviousEventQueue | undefined;
  /**
   * Returns an error if the client has disconnected. A waiting registration then fails without reading its snapshot.
   */
  abandoned?: () => Error | undefined;
}

/** A former event queue of a client, with the last event of that queue that the client has applied to its state. */
export interface PreviousEventQueue {
  queueId: string;
  lastEventId: number;
  /** Renders the log entries that the former event queue would have delivered. */
  render: LogEntryRenderer;
}

/**
 * Function that reads the snapshot of a registration in `tx`. If `isDelta` is true, the client has the state of its
 * former queue and gets the events since then. The function must then read only data that events do not update.
 */
export type SnapshotReader<T> = (tx: QueueTx, isDelta: boolean) => Promise<T>;

/** A registered event queue and its snapshot. The events of the queue follow the snapshot. */
export interface RegisteredQueue<T> {
  queueId: string;
  lastEventId: -1;
  snapshot: T;
  /**
   * Events that lead from the client's state to the start of the new queue, with event ids of the client's former
   * queue. Null if the client named no former queue, or the former queue cannot be continued; the snapshot is then
   * complete.
   */
  delta: ClientEvent[] | null;
}

/**
 * Time after which the record of an unfinished registration expires, in milliseconds. The time is longer than the read
 * of any snapshot.
 */
const REGISTRATION_GRACE_MS = 120_000;
/**
 * Maximum number of attempts to register an event queue before Redis counts as unavailable. A registration starts again
 * when Redis has lost its record, or when the queues of its owner were removed, for example by a role change. Restarts
 * may occur several times during the read of one snapshot.
 */
const MAX_REGISTRATION_ATTEMPTS = 20;

/** Dependencies of {@link registerQueue}. */
export interface RegistrationDependencies {
  snapshots: SharedSnapshotReader;
  store: RedisLogStore;
  dispatcher: LogDispatcher;
  deltas: MissedEventReader;
  faultPoint?: OnFaultPoint | undefined;
}

/**
 * Registers an event queue (docs/contract/event-log.md 4). Every change reaches the client exactly once: in the
 * snapshot, in the delta (the events since the former queue), or as an event.
 */
export async function registerQueue<T>(
  parts: RegistrationDependencies,
  options: RegisterOptions,
  snapshot: SnapshotReader<T>,
): Promise<RegisteredQueue<T>> {
  const { snapshots, store, dispatcher, faultPoint } = parts;
  const { realm, owner, abandoned } = options;
  let { lastKnown } = options;
  if (!(options.idleTimeoutSeconds > 0)) throw new QueueUsageError('idleTimeoutSeconds must be positive');
  // Assigns numbers first, so that the list of rows to skip stays short even after a long outage of Redis.
  const numbered = await dispatcher.numberRows(realm);
  // The client does not wait for the append. If it fails, the sweep appends the rows.
  dispatcher.appendNumberedRows(realm, numbered).catch(() => {});
  for (let attempt = 0; attempt < MAX_REGISTRATION_ATTEMPTS; attempt += 1) {
    const queueId = randomUUID();
    // The queue is recorded before the snapshot, so that later entries are not trimmed.
    const known = await recordUnfinishedRegistration(store, queueId, options, lastKnown);
    faultPoint?.('event-log.between-2-and-3');
    const isDelta = known !== null;
    const { start, data } = await snapshots.readSnapshot(realm, {
      owner,
      snapshot: (tx) => snapshot(tx, isDelta),
      abandoned,
    });
    const delta = known && lastKnown ? await readDeltaEvents(parts, options, { known, lastKnown, start }) : null;
    if (isDelta && delta === null) {
      lastKnown = undefined;
      await store.removeQueue(realm, queueId, owner);
      continue;
    }
    faultPoint?.('event-log.between-3-and-4');
    const leaseMs = options.idleTimeoutSeconds * 1000;
    if (await store.finalizeQueue(realm, queueId, { ...start, leaseMs })) {
      return { queueId, lastEventId: -1, snapshot: data, delta };
    }
  }
  throw new EventLogUnavailableError('The registration was lost or removed repeatedly');
}

/**
 * Records a new event queue whose registration is unfinished. Returns the former queue that the new queue continues, or
 * null if the new queue continues none.
 */
async function recordUnfinishedRegistration(
  store: RedisLogStore,
  queueId: string,
  options: RegisterOptions,
  lastKnown: PreviousEventQueue | undefined,
): Promise<StoredQueue | null> {
  const { realm } = options;
  const fields = toStoredQueueFields(options);
  const known =
    lastKnown && (await store.resumeQueue(realm, queueId, REGISTRATION_GRACE_MS, { known: lastKnown, fields }));
  if (known) return known;
  await store.recordQueue(realm, queueId, REGISTRATION_GRACE_MS, fields);
  return null;
}

function readDeltaEvents(
  { deltas }: RegistrationDependencies,
  { realm, owner }: RegisterOptions,
  { known, lastKnown, start }: { known: StoredQueue; lastKnown: PreviousEventQueue; start: EventQueueStart },
): Promise<ClientEvent[] | null> {
  const { queueId, lastEventId, render } = lastKnown;
  const queue = toCachedEventQueue({ realm, queueId, owner }, known);
  return deltas.readMissedEvents({ queue, from: toClientPosition(known.start, lastEventId).unit, start, render });
}

function toStoredQueueFields(options: RegisterOptions): Record<string, string> {
  return {
    owner: options.owner,
    // Only processes of releases before 0.2.0 read this field. Later ones derive the user id from the owner.
    user: typeof userIdOfOwner(options.owner) === 'number' ? options.owner : '',
    roles: (options.roles ?? []).join(','),
    idle: String(Math.ceil(options.idleTimeoutSeconds * 1000)),
    filter: JSON.stringify(options.filter),
    capabilities: JSON.stringify(options.capabilities),
    snapshot: JSON.stringify(options.snapshot ?? {}),
  };
}
