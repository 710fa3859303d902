import { formatErrorText } from '../environment.js';
import type { RedisClient } from '../redis.js';
import { EventLogUnavailableError } from './event-log-errors.js';
import { EVENT_IDS_PER_LOG_POSITION } from './event-ids.js';
import { LogEntry, parseLogEntryHeaders, type NumberedOutboxRow } from './log-entry.js';
import {
  REMOVED_BLOCKS_PER_TRIM,
  MAX_BLOCKS_PER_SCRIPT,
  redisScripts,
  type ScriptName,
} from './event-log-lua-scripts.js';
import {
  getHeaderBlockNumber,
  MAX_BYTES_PER_LOG_READ,
  MAX_TOMBSTONES_PER_OWNER,
  type EntryHeadersWithLogStatus,
  type EventLogAppendResult,
  type EventLogStore,
  type EventQueueCheckArguments,
  type EventQueueCheckResult,
  type EventQueueFields,
  type LogEntriesWithLogStatus,
  type RealmLogStatus,
  type StoredEventQueue,
} from './event-log-store.js';

const getHeaderBlockKeySuffix = (block: number): string => `heads:${block}`;

/** Returns the names of the blocks of entry headers from `first` to before `end`. */
const listHeaderBlockNames = (first: number, end: number): string[] =>
  Array.from({ length: Math.max(0, end - first) }, (_, index) => getHeaderBlockKeySuffix(first + index));

/**
 * Returns a list of Redis keys with the fixed length that a script requires. Repeats the last key to reach the length.
 */
const padRedisKeyList = (keys: string[], count: number): string[] => [
  ...keys,
  ...Array.from({ length: count - keys.length }, () => keys.at(-1) ?? ''),
];

const redisScriptNames = Object.keys(redisScripts) as ScriptName[];
const getRedisCommandName = (script: ScriptName): string => `switchboardEventLog${script}`;

/**
 * Reads and writes the realm logs and their event queues in Redis, with one method per script. All methods throw
 * EventLogUnavailableError while Redis is unavailable.
 */
export class RedisEventLogStore implements EventLogStore {
  /**
   * Prefix of the Redis channels by which processes are notified that one of their polls has ended. The process name
   * follows the prefix.
   */
  readonly processPrefix: string;

  constructor(
    private readonly redis: RedisClient,
    private readonly prefix: string,
  ) {
    this.processPrefix = `${prefix}:process:`;
    for (const name of redisScriptNames) {
      const { lua, numberOfKeys } = redisScripts[name];
      redis.defineCommand(getRedisCommandName(name), numberOfKeys === null ? { lua } : { lua, numberOfKeys });
    }
  }

  /** True if Redis commands are sent immediately. False if commands wait for a connection. */
  get isConnected(): boolean {
    return this.redis.status === 'ready';
  }

  /**
   * Returns the hash tag of the Redis keys of a realm. Keys with an equal hash tag are on one node of a Redis Cluster.
   */
  getRedisHashTag(realm: string): string {
    return `{${this.prefix}:${realm}}`;
  }

  /**
   * Returns the Redis channel on which each append to a realm's log is announced. The message is the new last position
   * of the log.
   */
  getAnnouncementChannelName(realm: string): string {
    return `${this.getRedisHashTag(realm)}:wake`;
  }

  /**
   * Returns true if Redis rejected the command itself. Returns false if Redis failed because of its state, such as
   * `OOM` or `READONLY`.
   */
  isRowRejection(error: unknown): boolean {
    if (!(error instanceof EventLogUnavailableError) || !(error.cause instanceof Error)) return false;
    const { cause } = error;
    return cause instanceof RangeError || (cause.name === 'ReplyError' && cause.message.startsWith('ERR '));
  }

  async appendRowsToLog(
    realm: string,
    epoch: number,
    position: number,
    rows: readonly NumberedOutboxRow[],
  ): Promise<EventLogAppendResult> {
    const blocks = [...new Set(rows.map(({ seq }) => getHeaderBlockNumber(seq)))];
    const keys = this.listRedisKeysOfLog(realm, 'log', 'meta', ...blocks.map(getHeaderBlockKeySuffix));
    const args: (string | number)[] = [epoch, position, this.getAnnouncementChannelName(realm)];
    for (const { seq, weight, id, void: isVoid, audience, payload } of rows) {
      // Lua counts from one, and two keys come before the blocks.
      args.push(seq, weight, id, isVoid ? '1' : '0', audience, payload, blocks.indexOf(getHeaderBlockNumber(seq)) + 3);
    }
    const [status, last] = await this.runRedisLogScript('append', keys, args);
    return { status: status as EventLogAppendResult['status'], last: Number(last) };
  }

  async resetLogOfRealm(realm: string, epoch: number, floor: number): Promise<void> {
    await this.runRedisLogScript('reset', this.listRedisKeysOfLog(realm, 'log', 'meta'), [
      epoch,
      floor,
      this.getAnnouncementChannelName(realm),
    ]);
  }

  /**
   * Returns up to `count` log entries after position `after` of the log. Returns fewer entries if the entries are
   * large.
   */
  async readLogEntriesAfterPosition(realm: string, after: number, count: number): Promise<LogEntriesWithLogStatus> {
    const keys = this.listRedisKeysOfLog(realm, 'log', 'meta');
    return parseLogEntriesWithStatus(
      await this.runRedisLogScript('read', keys, [after, count, MAX_BYTES_PER_LOG_READ]),
    );
  }

  /**
   * Returns the headers of all log entries from block `first` to block `last` (see {@link getHeaderBlockNumber}), at most
   * READ_BLOCKS blocks.
   */
  async readEntryHeaderBlocks(realm: string, first: number, last: number): Promise<EntryHeadersWithLogStatus> {
    const requested = listHeaderBlockNames(first, last + 1);
    const keys = this.listRedisKeysOfLog(realm, 'meta', ...padRedisKeyList(requested, MAX_BLOCKS_PER_SCRIPT));
    const [epoch, lastUnit, floor, ...blocks] = await this.runRedisLogScript('headers', keys, [requested.length]);
    return {
      epoch: Number(epoch),
      last: Number(lastUnit),
      floor: Number(floor),
      headers: blocks.flatMap(parseLogEntryHeaders),
    };
  }

  /** Returns the log entries at the given log positions, in ascending order. Omits entries that no longer exist. */
  async readLogEntriesAtPositions(realm: string, units: readonly number[]): Promise<LogEntriesWithLogStatus> {
    return parseLogEntriesWithStatus(
      await this.runRedisLogScript('pick', this.listRedisKeysOfLog(realm, 'log', 'meta'), [...units]),
    );
  }

  readLogStatus(realm: string): Promise<RealmLogStatus> {
    return this.readLogStatusWithQueueCount(realm);
  }

  async readLogStatusWithQueueCount(realm: string): Promise<RealmLogStatus & { queues: number }> {
    const [epoch, last, floor, queues] = await this.runRedisLogScript(
      'status',
      this.listRedisKeysOfLog(realm, 'meta', 'due'),
      [],
    );
    return { epoch: Number(epoch), last: Number(last), floor: Number(floor), queues: Number(queues) };
  }

  /**
   * Records an event queue whose registration is unfinished (step 2 of a registration). The record expires after
   * `graceMs` milliseconds.
   */
  async recordUnfinishedEventQueue(
    realm: string,
    id: string,
    graceMs: number,
    fields: EventQueueFields,
  ): Promise<void> {
    const keys = this.listRedisKeysOfLog(realm, 'meta', `q:${id}`, 'cursors', 'due', 'owners');
    await this.runRedisLogScript('record', keys, [id, graceMs, ...Object.entries(fields).flat()]);
  }

  /**
   * Records a new event queue that continues a former queue of the client (docs/contract/event-log.md 4). The record is
   * unfinished, as after {@link recordUnfinishedEventQueue}. Returns the properties of the former queue. Returns null and records
   * nothing if the former queue cannot be continued.
   */
  async recordContinuedEventQueue(
    realm: string,
    id: string,
    graceMs: number,
    { known, fields }: { known: { queueId: string; lastEventId: number }; fields: EventQueueFields },
  ): Promise<StoredEventQueue | null> {
    const keys = this.listRedisKeysOfLog(
      realm,
      'meta',
      `q:${id}`,
      'cursors',
      'due',
      'owners',
      `q:${known.queueId}`,
      'gone',
    );
    const args = [
      id,
      graceMs,
      known.queueId,
      known.lastEventId,
      EVENT_IDS_PER_LOG_POSITION,
      ...Object.entries(fields).flat(),
    ];
    const reply = (await this.runRedisLogScript('resume', keys, args)).values();
    const next = (): string => reply.next().value ?? '';
    return next() === 'OK' ? parseStoredEventQueue(next) : null;
  }

  /**
   * Completes the registration of a recorded event queue (step 4 of a registration). Returns false if the record of the
   * queue was removed.
   */
  async completeQueueRegistration(
    realm: string,
    id: string,
    start: { epoch: number; position: number; skip: readonly string[]; leaseMs: number },
  ): Promise<boolean> {
    const keys = this.listRedisKeysOfLog(realm, `q:${id}`, 'cursors', 'due');
    const args = [id, start.epoch, start.position, start.skip.join(','), start.leaseMs];
    return (await this.runRedisLogScript('finalize', keys, args))[0] === 'OK';
  }

  /**
   * Checks the event queues of several polls of one realm with one Redis script (docs/contract/event-log.md 5). Returns
   * the results in the order of the polls.
   */
  async checkQueuesOfPolls(
    realm: string,
    looks: readonly EventQueueCheckArguments[],
  ): Promise<EventQueueCheckResult[]> {
    const keys = this.listRedisKeysOfLog(realm, 'meta', 'cursors', 'due', ...looks.map(({ id }) => `q:${id}`));
    const polls = looks.map(({ id, owner, lastEventId, token, holdMs, renews, known }) => [
      // Replaces lone surrogates, because Redis cannot parse their JSON escapes.
      id.toWellFormed(),
      owner.toWellFormed(),
      lastEventId,
      token,
      holdMs,
      renews,
      known,
    ]);
    const args = [this.processPrefix, EVENT_IDS_PER_LOG_POSITION, JSON.stringify(polls)];
    const reply = (await this.runRedisLogScript('poll', keys, args)).values();
    const next = (): string => reply.next().value ?? '';
    const last = Number(next());
    return looks.map(({ known }) => {
      const status = next();
      if (status === 'OK') return { status, last, stored: known ? null : parseStoredEventQueue(next) };
      return { status: status === 'PRUNED' || status === 'ENDED' ? status : 'BAD' };
    });
  }

  /** Removes an event queue or its tombstone. Returns false if the owner has no queue with this id. */
  async removeEventQueue(realm: string, id: string, owner: string): Promise<boolean> {
    const args = [this.getRedisHashTag(realm), id, owner, this.processPrefix];
    return (await this.runRedisLogScript('remove', this.listRedisKeysOfLog(realm, `q:${id}`), args))[0] === '1';
  }

  /**
   * Deletes all event queues and tombstones of the given owners. Returns the number of deleted queues. With `indexes`,
   * also finds queues that processes of an earlier version recorded or removed recently.
   */
  async removeQueuesOfOwners(realm: string, owners: readonly string[], indexes: boolean): Promise<number> {
    const args = [this.getRedisHashTag(realm), this.processPrefix, indexes ? 1 : 0, ...owners];
    return Number(
      (await this.runRedisLogScript('removeOwned', this.listRedisKeysOfLog(realm, 'due', 'owners'), args))[0],
    );
  }

  /**
   * Returns those of the given owners who have an event queue or a tombstone of an expired queue. `indexes` has the
   * same meaning as in {@link removeQueuesOfOwners}.
   */
  async listOwnersWithQueues(realm: string, owners: readonly string[], indexes: boolean): Promise<ReadonlySet<string>> {
    const args = [this.getRedisHashTag(realm), indexes ? 1 : 0, ...owners];
    return new Set(
      await this.runRedisLogScript('listOwnersOfQueues', this.listRedisKeysOfLog(realm, 'due', 'owners'), args),
    );
  }

  /**
   * Adds up to `limit` event queues to the index by owner, if the index does not contain the queue yet. Returns the
   * number of added queues.
   */
  async indexUnindexedQueuesByOwner(realm: string, limit: number): Promise<number> {
    const args = [this.getRedisHashTag(realm), limit];
    return Number(
      (await this.runRedisLogScript('indexOwners', this.listRedisKeysOfLog(realm, 'due', 'owners'), args))[0],
    );
  }

  /**
   * Removes up to `limit` expired event queues, and deletes up to `limit` expired tombstones. Returns the greater of
   * the two numbers. An expired live queue becomes a tombstone for `retentionMs` milliseconds, or is deleted if
   * `retentionMs` is 0.
   */
  async removeExpiredEventQueues(realm: string, limit: number, retentionMs: number): Promise<number> {
    const args = [this.getRedisHashTag(realm), this.processPrefix, limit, retentionMs, MAX_TOMBSTONES_PER_OWNER];
    return Number((await this.runRedisLogScript('collect', this.listRedisKeysOfLog(realm, 'due', 'gone'), args))[0]);
  }

  /**
   * Removes old entries from a realm's log (docs/contract/event-log.md 6). Deletes the headers of removed entries
   * later, at the latest in the next call.
   */
  async removeOldLogEntries(realm: string, hardCap: number, capBytes: number): Promise<void> {
    const [, floor, first] = await this.runRedisLogScript(
      'trim',
      this.listRedisKeysOfLog(realm, 'log', 'meta', 'cursors'),
      [hardCap, capBytes],
    );
    const kept = getHeaderBlockNumber(Number(floor) + 1);
    const end = Math.min(kept, Number(first) + REMOVED_BLOCKS_PER_TRIM);
    if (end <= Number(first)) return;
    const dropped = padRedisKeyList(listHeaderBlockNames(Number(first), end), REMOVED_BLOCKS_PER_TRIM);
    await this.runRedisLogScript('dropHeads', this.listRedisKeysOfLog(realm, 'meta', ...dropped), [end]);
  }

  private listRedisKeysOfLog(realm: string, ...names: string[]): string[] {
    const root = this.getRedisHashTag(realm);
    return names.map((name) => `${root}:${name}`);
  }

  private async runRedisLogScript(script: ScriptName, keys: string[], args: (string | number)[]): Promise<string[]> {
    const command: unknown = Reflect.get(this.redis, getRedisCommandName(script));
    if (typeof command !== 'function') throw new EventLogUnavailableError(`script ${script} is not loaded`);
    try {
      const counted = redisScripts[script].numberOfKeys === null ? [keys.length] : [];
      const reply: unknown = await Reflect.apply(command, this.redis, [...counted, ...keys, ...args]);
      return Array.isArray(reply) ? reply.map(String) : [String(reply)];
    } catch (error) {
      throw new EventLogUnavailableError(`Redis, ${script}: ${formatErrorText(error)}`, { cause: error });
    }
  }
}

function parseStoredEventQueue(next: () => string): StoredEventQueue {
  const [epoch, start] = [Number(next()), Number(next())];
  return { epoch, start, skip: next(), roles: next(), filter: next(), capabilities: next() };
}

function parseLogEntriesWithStatus([epoch, last, floor, ...entries]: string[]): LogEntriesWithLogStatus {
  return {
    epoch: Number(epoch),
    last: Number(last),
    floor: Number(floor),
    entries: entries.map(LogEntry.fromStoredText),
  };
}
