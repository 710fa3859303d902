import { assertTextKey } from '../assert-text-key.js';
import { formatErrorText } from '../environment.js';
import { parseCachedAudience } from './audience.js';
import { EventLogUnavailableError } from './event-log-errors.js';
import { EVENT_IDS_PER_LOG_POSITION } from './event-ids.js';
import {
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
import { LogEntry, type LogEntryHeader, type NumberedOutboxRow } from './log-entry.js';
import type { EventLogTables } from './number-log-rows.js';
import type { ProcessChannels } from './process-channels.js';
import type { EventLogTableLock } from './table-lock.js';
import { tableLogSqlBySchema, type TableLogStatement } from './table-log-sql.js';

/** Integer as drivers of PostgreSQL return it. */
type StoredInteger = string | number | null;

/** Row of a statement that returns the state of a log. The columns of an entry are null if there is no entry. */
interface StoredEntryRow {
  epoch: StoredInteger;
  last: StoredInteger;
  floor: StoredInteger;
  unit: StoredInteger;
  previous_unit: StoredInteger;
  row_id: StoredInteger;
  audience: string | null;
  payload?: string | null;
}

interface StoredQueueRow {
  epoch: StoredInteger;
  start: StoredInteger;
  skip: string;
  roles: string;
  filter: string;
  capabilities: string;
}

interface CheckedQueueRow {
  status: EventQueueCheckResult['status'];
  log_last: StoredInteger;
  replaced: string | null;
  queue_epoch: StoredInteger;
  queue_start: StoredInteger;
  queue_skip: string;
  queue_roles: string;
  queue_filter: string;
  queue_capabilities: string;
}

interface EndedQueueRow {
  queue_id: string;
  ended_token: string;
}

/**
 * Maximum time of an event queue in milliseconds, about 3,000 years. PostgreSQL cannot represent much later times.
 */
const MAX_QUEUE_TIME_MS = 1e14;

/** Statements that publish messages. After an error it is unknown whether the statement has changed the tables. */
const publishingStatements: ReadonlySet<TableLogStatement> = new Set(['append', 'reset', 'poll', 'remove', 'collect']);

/**
 * Reads and writes the realm logs and their event queues in tables, with one method per statement. Messages on channels
 * reach only this process. All methods throw EventLogUnavailableError while the database is unavailable, or while
 * another process uses the tables.
 */
export class TableEventLogStore implements EventLogStore {
  readonly processPrefix = 'process:';
  readonly isConnected = true;

  constructor(
    private readonly tables: EventLogTables,
    private readonly lock: Pick<EventLogTableLock, 'lock'>,
    private readonly channels: Pick<ProcessChannels, 'publish' | 'reportInterruption'>,
  ) {}

  getAnnouncementChannelName(realm: string): string {
    return `wake:${realm}`;
  }

  /** Returns true if PostgreSQL rejected the values of a row (SQLSTATE classes 22, 23 and 54). */
  isRowRejection(error: unknown): boolean {
    if (!(error instanceof EventLogUnavailableError) || !(error.cause instanceof Error)) return false;
    return 'code' in error.cause && /^(22|23|54)/.test(String(error.cause.code));
  }

  async appendRowsToLog(
    realm: string,
    epoch: number,
    position: number,
    rows: readonly NumberedOutboxRow[],
  ): Promise<EventLogAppendResult> {
    const columns = (['seq', 'weight', 'id', 'void', 'audience', 'payload'] as const).map((name) =>
      rows.map((row) => row[name]),
    );
    const [result] = await this.run<{ status: EventLogAppendResult['status']; reached: StoredInteger }>('append', [
      realm,
      epoch,
      position,
      ...columns,
    ]);
    const last = Number(result?.reached);
    if (rows.some(({ seq }) => seq === last))
      this.channels.publish(this.getAnnouncementChannelName(realm), String(last));
    return { status: result?.status ?? 'GAP', last };
  }

  async resetLogOfRealm(realm: string, epoch: number, floor: number): Promise<void> {
    const [result] = await this.run<{ changed: boolean }>('reset', [realm, epoch, floor]);
    if (result?.changed === true) this.channels.publish(this.getAnnouncementChannelName(realm), String(floor));
  }

  async readLogEntriesAfterPosition(realm: string, after: number, count: number): Promise<LogEntriesWithLogStatus> {
    return toEntries(await this.run<StoredEntryRow>('read', [realm, after, count, MAX_BYTES_PER_LOG_READ]));
  }

  async readEntryHeaderBlocks(realm: string, first: number, last: number): Promise<EntryHeadersWithLogStatus> {
    const rows = await this.run<StoredEntryRow>('headers', [realm, first, last]);
    return { ...toStatus(rows[0]), headers: rows.flatMap((row) => (row.unit === null ? [] : toHeader(row))) };
  }

  async readLogEntriesAtPositions(realm: string, units: readonly number[]): Promise<LogEntriesWithLogStatus> {
    return toEntries(await this.run<StoredEntryRow>('pick', [realm, units]));
  }

  async readLogStatus(realm: string): Promise<RealmLogStatus & { queues: number }> {
    const [row] = await this.run<StoredEntryRow & { queues: StoredInteger }>('status', [realm]);
    return { ...toStatus(row), queues: Number(row?.queues) };
  }

  async recordUnfinishedEventQueue(
    realm: string,
    id: string,
    graceMs: number,
    fields: EventQueueFields,
  ): Promise<void> {
    await this.run('record', [realm, id, graceMs, ...listFieldValues(fields)]);
  }

  async recordContinuedEventQueue(
    realm: string,
    id: string,
    graceMs: number,
    { known, fields }: { known: { queueId: string; lastEventId: number }; fields: EventQueueFields },
  ): Promise<StoredEventQueue | null> {
    if (!isStorableText(known.queueId) || !Number.isSafeInteger(known.lastEventId)) return null;
    const [row] = await this.run<StoredQueueRow>('resume', [
      realm,
      id,
      graceMs,
      known.queueId,
      toAcknowledgedUnits(known.lastEventId),
      ...listFieldValues(fields),
    ]);
    if (row === undefined) return null;
    const { epoch, start, skip, roles, filter, capabilities } = row;
    return { epoch: Number(epoch), start: Number(start), skip, roles, filter, capabilities };
  }

  async completeQueueRegistration(
    realm: string,
    id: string,
    start: { epoch: number; position: number; skip: readonly string[]; leaseMs: number },
  ): Promise<boolean> {
    const leaseMs = Math.min(Math.ceil(start.leaseMs), MAX_QUEUE_TIME_MS);
    const params = [realm, id, start.epoch, start.position, start.skip.join(','), leaseMs];
    return (await this.run('finalize', params)).length > 0;
  }

  async checkQueuesOfPolls(
    realm: string,
    looks: readonly EventQueueCheckArguments[],
  ): Promise<EventQueueCheckResult[]> {
    const checked = looks.filter(({ id, owner }) => isStorableText(id) && isStorableText(owner));
    const rows = await this.run<CheckedQueueRow>('poll', [
      realm,
      checked.map(({ id }) => id),
      checked.map(({ owner }) => owner),
      checked.map(({ lastEventId }) => toAcknowledgedUnits(lastEventId)),
      checked.map(({ token }) => token),
      checked.map(({ holdMs }) => Math.ceil(holdMs)),
      checked.map(({ renews }) => renews),
      checked.map(({ known }) => known),
    ]);
    const resultOf = new Map(checked.map((look, index) => [look, rows[index]]));
    return looks.map((look) => {
      const row = resultOf.get(look);
      if (row === undefined) return { status: 'BAD' };
      this.publishReplacedPoll(look, row.replaced);
      return row.status === 'OK'
        ? { status: 'OK', last: Number(row.log_last), stored: toStoredQueue(row) }
        : { status: row.status };
    });
  }

  async removeEventQueue(realm: string, id: string, owner: string): Promise<boolean> {
    if (!isStorableText(id) || !isStorableText(owner)) return false;
    return (await this.removeQueues(realm, [owner], id)) > 0;
  }

  removeQueuesOfOwners(realm: string, owners: readonly string[]): Promise<number> {
    return this.removeQueues(realm, owners.filter(isStorableText), null);
  }

  async listOwnersWithQueues(realm: string, owners: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.run<{ owner: string }>('listOwners', [realm, owners.filter(isStorableText)]);
    return new Set(rows.map(({ owner }) => owner));
  }

  /** Returns 0, because PostgreSQL maintains the index by owner. */
  indexUnindexedQueuesByOwner(): Promise<number> {
    return Promise.resolve(0);
  }

  async removeExpiredEventQueues(realm: string, limit: number, retentionMs: number): Promise<number> {
    const retention = Math.min(Math.ceil(retentionMs), MAX_QUEUE_TIME_MS);
    const rows = await this.run<EndedQueueRow & { was_tombstone: boolean }>('collect', [
      realm,
      limit,
      retention,
      MAX_TOMBSTONES_PER_OWNER,
    ]);
    for (const row of rows) this.publishRemovedQueue(row);
    const tombstones = rows.filter((row) => row.was_tombstone).length;
    return Math.max(tombstones, rows.length - tombstones);
  }

  async removeOldLogEntries(realm: string, hardCap: number, capBytes: number): Promise<void> {
    await this.run('trim', [realm, hardCap, capBytes]);
  }

  private async removeQueues(realm: string, owners: readonly string[], id: string | null): Promise<number> {
    const rows = await this.run<EndedQueueRow & { was_live: boolean }>('remove', [realm, owners, id]);
    for (const row of rows) this.publishRemovedQueue(row);
    return rows.filter((row) => row.was_live).length;
  }

  private publishRemovedQueue({ queue_id: id, ended_token: token }: EndedQueueRow): void {
    if (token !== '') this.publishEndedPoll(id, token, ' gone');
  }

  private publishReplacedPoll({ id, token }: EventQueueCheckArguments, replaced: string | null): void {
    // The process of the new poll ends its earlier poll of the queue itself.
    if (replaced !== null && getProcessOfToken(replaced) !== getProcessOfToken(token)) {
      this.publishEndedPoll(id, replaced, '');
    }
  }

  private publishEndedPoll(queueId: string, token: string, reason: string): void {
    this.channels.publish(`${this.processPrefix}${getProcessOfToken(token)}`, `end ${queueId} ${token}${reason}`);
  }

  private async run<R>(statement: TableLogStatement, params: unknown[]): Promise<R[]> {
    const { pool, schema } = this.tables;
    await this.lock.lock();
    try {
      return (await pool.query<R>(tableLogSqlBySchema(schema)[statement], params)).rows;
    } catch (error) {
      if (publishingStatements.has(statement)) this.channels.reportInterruption();
      throw new EventLogUnavailableError(`PostgreSQL, ${statement}: ${formatErrorText(error)}`, { cause: error });
    }
  }
}

const getProcessOfToken = (token: string): string => token.slice(0, token.indexOf(':'));

/** Returns true if PostgreSQL can store a text of a client. No stored id or owner has another text. */
const isStorableText = (text: string): boolean => !text.includes('\0');

/** Returns the number of log positions after the start of a queue that an event id acknowledges. */
const toAcknowledgedUnits = (lastEventId: number): number =>
  lastEventId < 0 ? 0 : Math.floor(lastEventId / EVENT_IDS_PER_LOG_POSITION);

function listFieldValues({ owner, roles, idle, filter, capabilities, snapshot }: EventQueueFields): unknown[] {
  assertTextKey('Owner of an event queue', owner);
  return [owner, roles, filter, capabilities, snapshot, Math.min(Number(idle), MAX_QUEUE_TIME_MS)];
}

function toStoredQueue(row: CheckedQueueRow): StoredEventQueue | null {
  if (row.queue_epoch === null) return null;
  return {
    epoch: Number(row.queue_epoch),
    start: Number(row.queue_start),
    skip: row.queue_skip,
    roles: row.queue_roles,
    filter: row.queue_filter,
    capabilities: row.queue_capabilities,
  };
}

function toStatus(row: Pick<StoredEntryRow, 'epoch' | 'last' | 'floor'> | undefined): RealmLogStatus {
  return { epoch: Number(row?.epoch ?? 0), last: Number(row?.last ?? 0), floor: Number(row?.floor ?? 0) };
}

function toHeader({ unit, previous_unit: previousUnit, row_id: rowId, audience }: StoredEntryRow): LogEntryHeader {
  return {
    unit: Number(unit),
    previousUnit: Number(previousUnit),
    rowId: String(rowId),
    audience: parseCachedAudience(audience ?? ''),
  };
}

function toEntries(rows: readonly StoredEntryRow[]): LogEntriesWithLogStatus {
  const entries = rows.flatMap((row) => {
    if (row.unit === null) return [];
    const { unit, previousUnit, rowId, audience } = toHeader(row);
    return new LogEntry(unit, previousUnit, rowId, audience, row.payload ?? '{"event":{}}');
  });
  return { ...toStatus(rows[0]), entries };
}
