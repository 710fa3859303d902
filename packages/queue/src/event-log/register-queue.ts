import { randomUUID } from 'node:crypto';
import type { QueueTx } from '../database.js';
import type { FaultPointListener } from '../fault-points.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { userIdOfOwner } from './audience.js';
import type { MissedEventReader } from './missed-event-reader.js';
import { EventLogUnavailableError } from './event-log-errors.js';
import { toClientPosition } from './event-ids.js';
import { toCachedEventQueue } from './event-queue-cache.js';
import type { EventLogDispatcher } from './log-dispatcher.js';
import type { EventLogStore, EventQueueFields, StoredEventQueue } from './event-log-store.js';
import type { ClientEvent, LogEntryRenderer } from './event-queue-view.js';
import type { EventQueueStart, SharedRegistrationSnapshotReader } from './shared-snapshot-reader.js';

/** Options of the registration of an event queue. */
export interface EventQueueRegistrationOptions {
  realm: string;
  /**
   * Owner of the event queue; only the owner's client may poll it. `users` of audiences can contain the owner if it has
   * the form of a user id: an integer, or a text such as a UUID.
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
export type RegistrationSnapshotReader<T> = (tx: QueueTx, isDelta: boolean) => Promise<T>;

/** A registered event queue and its snapshot. The events of the queue follow the snapshot. */
export interface RegisteredEventQueue<T> {
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
const UNFINISHED_REGISTRATION_LIFETIME_MS = 120_000;
/**
 * Maximum number of attempts to register an event queue before the store counts as unavailable. A registration starts
 * again when the store has lost the record. It also starts again when the queues of the owner were removed, for example
 * by a role change. Restarts may occur several times during the read of one snapshot.
 */
const MAX_QUEUE_REGISTRATION_ATTEMPTS = 20;

export interface EventQueueRegistrationDependencies {
  snapshots: SharedRegistrationSnapshotReader;
  store: EventLogStore;
  dispatcher: EventLogDispatcher;
  deltas: MissedEventReader;
  faultPoint?: FaultPointListener | undefined;
}

/**
 * Registers an event queue (docs/contract/event-log.md 4). Every change reaches the client exactly once: in the
 * snapshot, in the delta (the events since the former queue), or as an event.
 */
export async function registerEventQueue<T>(
  parts: EventQueueRegistrationDependencies,
  options: EventQueueRegistrationOptions,
  snapshot: RegistrationSnapshotReader<T>,
): Promise<RegisteredEventQueue<T>> {
  const { snapshots, store, dispatcher, faultPoint } = parts;
  const { realm, owner, abandoned } = options;
  let { lastKnown } = options;
  if (!(options.idleTimeoutSeconds > 0)) throw new QueueUsageError('idleTimeoutSeconds must be positive');
  // Assigns numbers first, so that the list of rows to skip stays short even after a long outage of the store.
  const numbered = await dispatcher.numberOutboxRows(realm);
  // The client does not wait for the append. If it fails, the sweep appends the rows.
  dispatcher.appendNumberedRowsOrRepair(realm, numbered).catch(() => {});
  for (let attempt = 0; attempt < MAX_QUEUE_REGISTRATION_ATTEMPTS; attempt += 1) {
    const queueId = randomUUID();
    // The queue is recorded before the snapshot, so that later entries are not trimmed.
    const known = await recordUnfinishedQueueRegistration(store, queueId, options, lastKnown);
    faultPoint?.('event-log.between-2-and-3');
    const isDelta = known !== null;
    const { start, data } = await snapshots.readSnapshotInSharedTransaction(realm, {
      owner,
      snapshot: (tx) => snapshot(tx, isDelta),
      abandoned,
    });
    const delta =
      known && lastKnown ? await readMissedEventsOfClient(parts, options, { known, lastKnown, start }) : null;
    if (isDelta && delta === null) {
      lastKnown = undefined;
      await store.removeEventQueue(realm, queueId, owner);
      continue;
    }
    faultPoint?.('event-log.between-3-and-4');
    const leaseMs = options.idleTimeoutSeconds * 1000;
    if (await store.completeQueueRegistration(realm, queueId, { ...start, leaseMs })) {
      return { queueId, lastEventId: -1, snapshot: data, delta };
    }
  }
  throw new EventLogUnavailableError('The registration was lost or removed repeatedly');
}

/**
 * Records a new event queue whose registration is unfinished. Returns the former queue that the new queue continues, or
 * null if the new queue continues none.
 */
async function recordUnfinishedQueueRegistration(
  store: EventLogStore,
  queueId: string,
  options: EventQueueRegistrationOptions,
  lastKnown: PreviousEventQueue | undefined,
): Promise<StoredEventQueue | null> {
  const { realm } = options;
  const fields = createStoredEventQueueFields(options);
  const known =
    lastKnown &&
    (await store.recordContinuedEventQueue(realm, queueId, UNFINISHED_REGISTRATION_LIFETIME_MS, {
      known: lastKnown,
      fields,
    }));
  if (known) return known;
  await store.recordUnfinishedEventQueue(realm, queueId, UNFINISHED_REGISTRATION_LIFETIME_MS, fields);
  return null;
}

function readMissedEventsOfClient(
  { deltas }: EventQueueRegistrationDependencies,
  { realm, owner }: EventQueueRegistrationOptions,
  { known, lastKnown, start }: { known: StoredEventQueue; lastKnown: PreviousEventQueue; start: EventQueueStart },
): Promise<ClientEvent[] | null> {
  const { queueId, lastEventId, render } = lastKnown;
  const queue = toCachedEventQueue({ realm, queueId, owner }, known);
  return deltas.readMissedEvents({ queue, from: toClientPosition(known.start, lastEventId).unit, start, render });
}

function createStoredEventQueueFields(options: EventQueueRegistrationOptions): EventQueueFields {
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
