import { UNITS_PER_HEADER_BLOCK } from './event-log-lua-scripts.js';
import type { LogEntry, LogEntryHeader, NumberedOutboxRow } from './log-entry.js';

/**
 * Result of appending entries to a log (step C, docs/contract/event-log.md 3). Status `OLD` means that the stored log
 * has an older epoch and must be reset.
 */
export interface EventLogAppendResult {
  status: 'OK' | 'GAP' | 'DIVERGED' | 'STALE' | 'OLD';
  last: number;
}

/** State of a realm's stored event log. `epoch` is 0 before the first write to the log. */
export interface RealmLogStatus {
  epoch: number;
  last: number;
  floor: number;
}

/** A part of a realm's log, read together with the state of the log. */
export interface LogEntriesWithLogStatus extends RealmLogStatus {
  entries: LogEntry[];
}

/** Headers of the entries in a part of a realm's log, without the payloads of the entries. */
export interface EntryHeadersWithLogStatus extends RealmLogStatus {
  headers: LogEntryHeader[];
}

/** Properties of a registered event queue that never change. Texts are as stored by the registration. */
export interface StoredEventQueue {
  epoch: number;
  start: number;
  skip: string;
  roles: string;
  filter: string;
  capabilities: string;
}

/**
 * Properties of an event queue that the registration stores before reading the snapshot. `idle` is the time without a
 * poll after which the queue expires, in milliseconds. Only processes of releases before 0.2.0 read `user`.
 */
export type EventQueueFields = Record<
  'owner' | 'user' | 'roles' | 'idle' | 'filter' | 'capabilities' | 'snapshot',
  string
>;

/** Arguments of a poll's check of its event queue. */
export interface EventQueueCheckArguments {
  id: string;
  owner: string;
  lastEventId: number;
  /** Text `process:number` that identifies the poll. */
  token: string;
  /** Time for which the poll may wait before the poll checks its queue again, in milliseconds. */
  holdMs: number;
  /** True if the poll has already checked its queue before. It ends if another poll of the queue has started since. */
  renews: boolean;
  /** True if the caller already has the {@link StoredEventQueue}, so that the store need not return it. */
  known: boolean;
}

/**
 * Result of checking the event queue of a poll, with the last unit of the log at that time. `stored` is null if the
 * caller knows the queue's properties. `ENDED`: another poll has taken over the queue.
 */
export type EventQueueCheckResult =
  | { status: 'OK'; last: number; stored: StoredEventQueue | null }
  | { status: 'BAD' | 'PRUNED' | 'ENDED' };

/** Returns the number of the block to which the header of the log entry at position `unit` belongs. */
export const getHeaderBlockNumber = (unit: number): number => Math.floor(unit / UNITS_PER_HEADER_BLOCK);

/** Maximum number of tombstones of one owner. Beyond it the oldest is deleted. */
export const MAX_TOMBSTONES_PER_OWNER = 10;

/**
 * Message on the announcement channel of a realm after which pending polls check their event queues again. It is sent
 * when messages about ended polls may have been lost.
 */
export const RECHECK_ANNOUNCEMENT = 'recheck';

/** Approximate maximum size of one read of log entries, in bytes. */
export const MAX_BYTES_PER_LOG_READ = 4 * 1024 * 1024;

/**
 * Stores the realm logs and their event queues (docs/contract/event-log.md 1). Each method is one atomic step. All
 * methods throw EventLogUnavailableError while the store is unavailable.
 */
export interface EventLogStore {
  /** Prefix of the channels on which processes are notified that a poll has ended. The process name follows it. */
  readonly processPrefix: string;

  /** True if an append is sent to the store immediately. False if the store has no connection. */
  readonly isConnected: boolean;

  /**
   * Returns the channel on which each append to a realm's log is announced. The message is the new last position of the
   * log, or {@link RECHECK_ANNOUNCEMENT}.
   */
  getAnnouncementChannelName(realm: string): string;

  /**
   * Returns true if the store rejected the rows of an append because of their content. Returns false if the append
   * failed because of the store's state.
   */
  isRowRejection(error: unknown): boolean;

  /** Appends rows to a realm's log. `position` is the highest position that PostgreSQL has assigned to these rows. */
  appendRowsToLog(
    realm: string,
    epoch: number,
    position: number,
    rows: readonly NumberedOutboxRow[],
  ): Promise<EventLogAppendResult>;

  /** Deletes all entries of a realm's log, if the log ends before position `floor` or has an older epoch. */
  resetLogOfRealm(realm: string, epoch: number, floor: number): Promise<void>;

  /** Returns up to `count` log entries after position `after`. Returns fewer entries if the entries are large. */
  readLogEntriesAfterPosition(realm: string, after: number, count: number): Promise<LogEntriesWithLogStatus>;

  /**
   * Returns the headers of all log entries from block `first` to block `last` (see {@link getHeaderBlockNumber}), at most
   * MAX_BLOCKS_PER_SCRIPT blocks.
   */
  readEntryHeaderBlocks(realm: string, first: number, last: number): Promise<EntryHeadersWithLogStatus>;

  /** Returns the log entries at the given log positions, in ascending order. Omits entries that no longer exist. */
  readLogEntriesAtPositions(realm: string, units: readonly number[]): Promise<LogEntriesWithLogStatus>;

  /** Returns the state of a realm's log. */
  readLogStatus(realm: string): Promise<RealmLogStatus>;

  /** Returns the state of a realm's log, and the number of its event queues without tombstones. */
  readLogStatusWithQueueCount(realm: string): Promise<RealmLogStatus & { queues: number }>;

  /**
   * Records an event queue whose registration is unfinished (step 2 of a registration). The record expires after
   * `graceMs` milliseconds.
   */
  recordUnfinishedEventQueue(realm: string, id: string, graceMs: number, fields: EventQueueFields): Promise<void>;

  /**
   * Records a new event queue that continues a former queue of the client (docs/contract/event-log.md 4). The record is
   * unfinished, as after {@link recordUnfinishedEventQueue}. Returns the properties of the former queue. Returns null
   * and records nothing if the former queue cannot be continued.
   */
  recordContinuedEventQueue(
    realm: string,
    id: string,
    graceMs: number,
    continuation: { known: { queueId: string; lastEventId: number }; fields: EventQueueFields },
  ): Promise<StoredEventQueue | null>;

  /**
   * Completes the registration of a recorded event queue (step 4 of a registration). Returns false if the record of the
   * queue was removed.
   */
  completeQueueRegistration(
    realm: string,
    id: string,
    start: { epoch: number; position: number; skip: readonly string[]; leaseMs: number },
  ): Promise<boolean>;

  /**
   * Checks the event queues of several polls of one realm (docs/contract/event-log.md 5). Returns the results in the
   * order of the polls.
   */
  checkQueuesOfPolls(realm: string, looks: readonly EventQueueCheckArguments[]): Promise<EventQueueCheckResult[]>;

  /** Removes an event queue or its tombstone. Returns false if the owner has no queue with this id. */
  removeEventQueue(realm: string, id: string, owner: string): Promise<boolean>;

  /**
   * Deletes all event queues and tombstones of the given owners. Returns the number of deleted queues. With `indexes`,
   * also finds queues that processes of an earlier version recorded or removed recently.
   */
  removeQueuesOfOwners(realm: string, owners: readonly string[], indexes: boolean): Promise<number>;

  /**
   * Returns those of the given owners who have an event queue or a tombstone of an expired queue. `indexes` has the
   * same meaning as in {@link removeQueuesOfOwners}.
   */
  listOwnersWithQueues(realm: string, owners: readonly string[], indexes: boolean): Promise<ReadonlySet<string>>;

  /**
   * Adds up to `limit` event queues to the index by owner, if the index does not contain the queue yet. Returns the
   * number of added queues.
   */
  indexUnindexedQueuesByOwner(realm: string, limit: number): Promise<number>;

  /**
   * Removes up to `limit` expired event queues, and deletes up to `limit` expired tombstones. Returns the greater of
   * the two numbers. An expired live queue becomes a tombstone for `retentionMs` milliseconds, or is deleted if
   * `retentionMs` is 0.
   */
  removeExpiredEventQueues(realm: string, limit: number, retentionMs: number): Promise<number>;

  /**
   * Removes old entries from a realm's log (docs/contract/event-log.md 6), so that the log has at most `hardCap` entries
   * and about `capBytes` bytes.
   */
  removeOldLogEntries(realm: string, hardCap: number, capBytes: number): Promise<void>;
}

/** Receiver of the messages on the channels of a store. A Redis connection for subscriptions has these methods. */
export interface ChannelSubscriber {
  /**
   * Registers a function that is called with the channel and the text of each message. It is also called after an
   * interruption in which messages may have been lost.
   */
  on(event: 'message' | 'ready', listener: (channel: string, message: string) => void): unknown;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
}

export interface EventLogStoreConnection {
  readonly store: EventLogStore;
  /** Store for appends, so that an append does not wait behind the checks of thousands of polls. */
  readonly appendStore: EventLogStore;
  readonly subscriber: ChannelSubscriber;
  /** Resolves when the first attempt to connect has ended. Never rejects, because later calls report the error. */
  readonly firstAttempt: Promise<void>;
  /** Registers a function that is called when the store is available again, and may lack entries. */
  onAvailable(listener: () => void): void;
  /** Checks that this process may use the store. Rejects otherwise. */
  confirm(): Promise<void>;
  /** Resolves when the store has responded. Rejects after `timeoutMs` milliseconds. */
  waitUntilStoreResponds(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
