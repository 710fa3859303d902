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

/** Options of registering an event queue. */
export interface RegisterOptions {
  realm: string;
  /**
   * Owner of the event queue; only the owner's client may poll it. It is the user id in `users` of audiences if it has
   * the form of one: an integer, or a text such as a UUID.
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
   * Description of the snapshot: all options that determine its content and form. A client can continue the event queue
   * only in a registration with an equal description, filter, capabilities and roles. Default `{}`.
   */
  snapshot?: object;
  /** Event queue that the client had before, to get a delta in place of a snapshot. */
  lastKnown?: PreviousEventQueue | undefined;
  /**
   * Returns an error if the client has disconnected; a waiting registration then fails without reading its snapshot.
   */
  abandoned?: () => Error | undefined;
}

/** An event queue that a client had before, and the last event that it has applied to its state. */
export interface PreviousEventQueue {
  queueId: string;
  lastEventId: number;
  /** Renders the entries that the queue would have delivered. */
  render: LogEntryRenderer;
}

/**
 * Function that reads the snapshot of a registration in `tx`. If `isDelta` is true, the client has the state of its
 * known queue and gets the events after it: only data that events do not maintain has to be read.
 */
export type SnapshotReader<T> = (tx: QueueTx, isDelta: boolean) => Promise<T>;

/** A registered event queue and the snapshot that its events continue. */
export interface RegisteredQueue<T> {
  queueId: string;
  lastEventId: -1;
  snapshot: T;
  /**
   * Events that lead from the client's state to the start of the new queue, with the ids of the known queue. Null if
   * the registration names no known queue or that queue cannot be continued; the snapshot is then complete.
   */
  delta: ClientEvent[] | null;
}

/** Time for which an unfinished registration remains, in milliseconds. It is longer than reading any snapshot takes. */
const REGISTRATION_GRACE_MS = 120_000;
/**
 * Maximum number of attempts to register an event queue before Redis counts as unavailable. A registration starts again
 * when Redis has lost it, or when the queues of its owner were removed, for example by a role change. This may happen
 * several times during one snapshot.
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
 * Registers an event queue (docs/contract/event-log.md 4). Every change reaches the client exactly once, in the
 * snapshot, in the delta or as an event.
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

/** Records a new event queue. Returns the known queue that it continues, or null for a queue without predecessor. */
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
