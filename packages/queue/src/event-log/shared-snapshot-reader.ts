import { AsyncResource } from 'node:async_hooks';
import { runInPoolTransaction, type QueuePool, type QueueTx } from '../database.js';
import { readQueueStartPosition } from './number-log-rows.js';
import { type OwnedQueueItem, FairQueueByOwner } from './fair-queue-by-owner.js';

/**
 * Position and epoch of the log at which a new event queue starts, and a list of row ids. The listed outbox rows have
 * no log position yet, but are already in the queue's snapshot.
 */
export type EventQueueStart = Awaited<ReturnType<typeof readQueueStartPosition>>;

/**
 * Maximum number of concurrent transactions that read snapshots of one realm. With more than one transaction, a slow
 * snapshot does not delay all others.
 */
const MAX_CONCURRENT_SNAPSHOT_TRANSACTIONS = 2;

/**
 * Function that selects the database connection pool for a snapshot transaction, given the owner of the transaction's
 * first registration.
 */
export type SnapshotPoolSelector = (owner: string) => QueuePool;

/** A registration of an event queue that waits to read its snapshot. */
export interface SnapshotRequestOfRegistration<T> {
  /** Owner of the event queue. Waiting registrations of different owners read their snapshots in turn. */
  readonly owner: string;
  readonly snapshot: (tx: QueueTx) => Promise<T>;
  /** Function that returns an error if the client has disconnected. Called before the snapshot is read. */
  readonly abandoned?: (() => Error | undefined) | undefined;
}

/**
 * Maximum number of registrations that read in one transaction. The limit makes transactions short, because long
 * transactions prevent VACUUM from removing rows.
 */
const MAX_REGISTRATIONS_PER_SNAPSHOT = 32;

interface WaitingEventQueueRegistration extends OwnedQueueItem {
  /**
   * Reads the snapshot and settles the promise of the registration. Never throws. Returns false if the transaction is
   * no longer usable.
   */
  readonly run: (tx: QueueTx, start: EventQueueStart) => Promise<boolean>;
  readonly fail: (error: unknown) => void;
  /** Time at which the registration began to wait, in milliseconds of `performance.now()`. */
  readonly sinceMs: number;
}

interface WaitingRegistrationsOfRealm {
  readonly waiting: FairQueueByOwner<WaitingEventQueueRegistration>;
  running: number;
}

/**
 * Runs the transactions in which waiting registrations of one realm read their snapshots together. Registrations of one
 * transaction also share the start position in the log and the list of log rows that the snapshot already includes. A
 * transaction serves only registrations that called {@link readSnapshotInSharedTransaction} before it began.
 */
export class SharedRegistrationSnapshotReader {
  readonly #realms = new Map<string, WaitingRegistrationsOfRealm>();

  constructor(
    private readonly poolOf: SnapshotPoolSelector,
    /** SQL identifier of the schema that contains the tables of the event log. */
    private readonly schema: string,
  ) {}

  /**
   * Runs `snapshot` in a REPEATABLE READ READ ONLY transaction that begins after the call. The caller must have
   * recorded the event queue. An error of one registration rejects only the promise of that registration; the other
   * registrations continue in another transaction.
   */
  readSnapshotInSharedTransaction<T>(
    realm: string,
    { owner, snapshot, abandoned }: SnapshotRequestOfRegistration<T>,
  ): Promise<{ start: EventQueueStart; data: T }> {
    return new Promise((resolve, reject) => {
      const queue = this.#waitingQueueOf(realm);
      const run = async (tx: QueueTx, start: EventQueueStart): Promise<boolean> => {
        const reason = abandoned?.();
        if (reason !== undefined) {
          reject(reason);
          return true;
        }
        try {
          resolve({ start, data: await snapshot(tx) });
          return true;
        } catch (error) {
          reject(error);
          return false;
        }
      };
      // Runs in the async context of its request, so that slow statements are logged with the request id.
      queue.waiting.appendItem({ owner, run: AsyncResource.bind(run), fail: reject, sinceMs: performance.now() });
      this.#startNextTransaction(realm, queue);
    });
  }

  #waitingQueueOf(realm: string): WaitingRegistrationsOfRealm {
    const queue = this.#realms.get(realm) ?? {
      waiting: new FairQueueByOwner<WaitingEventQueueRegistration>(),
      running: 0,
    };
    this.#realms.set(realm, queue);
    return queue;
  }

  #startNextTransaction(realm: string, queue: WaitingRegistrationsOfRealm): void {
    if (queue.waiting.waitingItemCount === 0 || queue.running >= MAX_CONCURRENT_SNAPSHOT_TRANSACTIONS) return;
    queue.running += 1;
    void this.#runSharedTransaction(realm, queue).finally(() => {
      queue.running -= 1;
      if (queue.running === 0 && queue.waiting.waitingItemCount === 0) this.#realms.delete(realm);
      this.#startNextTransaction(realm, queue);
    });
  }

  async #runSharedTransaction(realm: string, queue: WaitingRegistrationsOfRealm): Promise<void> {
    let taken: WaitingEventQueueRegistration[] = [];
    let hasStarted = false;
    const requestedAtMs = performance.now();
    try {
      await runInPoolTransaction(
        // Uses the pool of the next owner, because the pool serves users in turn: the transaction waits for one user
        // only.
        this.poolOf(queue.waiting.nextOwner ?? ''),
        async (tx) => {
          // Registrations are taken once there is a connection, before the first statement, which fixes the snapshot.
          taken = queue.waiting.removeOneItemPerOwner(MAX_REGISTRATIONS_PER_SNAPSHOT);
          const start = await readQueueStartPosition(tx, this.schema, realm);
          hasStarted = true;
          for (let one = taken.shift(); one !== undefined; one = taken.shift()) {
            if (!(await one.run(tx, start))) break;
          }
        },
        'snapshot',
      );
      queue.waiting.putItemsBack(taken);
    } catch (error) {
      // The connection was lost during a registration, which has failed. The others get another transaction.
      if (hasStarted) queue.waiting.putItemsBack(taken);
      else
        for (const { fail } of taken.length > 0 ? taken : removeRegistrationsWaitingBeforeFailure(queue, requestedAtMs))
          fail(error);
    }
  }
}

/** Removes and returns the registrations that were waiting before a failed transaction requested its connection. */
function removeRegistrationsWaitingBeforeFailure(
  { waiting }: WaitingRegistrationsOfRealm,
  requestedAtMs: number,
): WaitingEventQueueRegistration[] {
  return waiting.removeRequestedItems(({ sinceMs }) => sinceMs <= requestedAtMs);
}
