import { assertTextKey } from '../assert-text-key.js';
import { isStatementOutcomeUnknown } from '../database.js';
import { formatErrorText } from '../environment.js';
import { parseCachedAudience } from './audience.js';
import { divideRowsByLength } from './divide-rows-by-length.js';
import { EventLogUnavailableError } from './event-log-errors.js';
import { EVENT_IDS_PER_LOG_POSITION } from './event-ids.js';
import {
  MAX_BYTES_PER_LOG_READ,
  MAX_TOMBSTONES_PER_OWNER,
  RECHECK_ANNOUNCEMENT,
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
import { StatementOrder } from './statement-order.js';
import type { EventLogTableLock } from './event-log-table-lock.js';
import { tableLogSqlBySchema, type TableLogStatement } from './table-log-sql.js';

/** Parameters of a statement, which all begin with the realm. */
type StatementParameters = [realm: string, ...unknown[]];

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

/** Maximum number of log entries that one statement deletes, so that the log of the realm is locked for a short time. */
const MAX_ENTRIES_PER_DELETION = 10_000;

/** Statements after which a log is read again if it is unknown whether the statement has changed the tables. */
const growingStatements: ReadonlySet<TableLogStatement> = new Set(['append', 'reset']);

/**
 * Statements that end pending polls. Pending polls check their queues again if it is unknown whether such a statement
 * has changed the tables.
 */
const pollEndingStatements: ReadonlySet<TableLogStatement> = new Set(['poll', 'remove', 'collect']);

/**
 * Reads and writes the realm logs and their event queues in tables, with one method per statement. Messages on channels
 * reach only this process. All methods throw EventLogUnavailableError while the database is unavailable, or while
 * another process uses the tables.
 */
export class TableEventLogStore implements EventLogStore {
  readonly processPrefix = 'process:';
  readonly isConnected = true;
  private readonly appendOrder = new StatementOrder();
  private readonly checkOrder = new StatementOrder();
  /** Realms in which a statement with an unknown outcome may have ended pending polls. */
  private readonly realmsToRecheck = new Set<string>();

  constructor(
    private readonly tables: EventLogTables,
    private readonly lock: Pick<EventLogTableLock, 'lock'>,
    private readonly channels: Pick<ProcessChannels, 'publish'>,
  ) {}

  getAnnouncementChannelName(realm: string): string {
    return `wake:${realm}`;
  }

  /**
   * Returns true if PostgreSQL rejected the values of a row (SQLSTATE classes 22, 23 and 54), or if the driver could not
   * represent the values.
   */
  isRowRejection(error: unknown): boolean {
    if (!(error instanceof EventLogUnavailableError) || !(error.cause instanceof Error)) return false;
    if (error.cause instanceof RangeError) return true;
    return 'code' in error.cause && /^(22|23|54)/.test(String(error.cause.code));
  }

  /**
   * Appends rows after the appends of the realm that began before. On several connections, a later append could reach
   * the table first and find a gap.
   */
  appendRowsToLog(
    realm: string,
    epoch: number,
    position: number,
    rows: readonly NumberedOutboxRow[],
  ): Promise<EventLogAppendResult> {
    return this.appendOrder.runInOrder(realm, async () => {
      const parts = divideRowsByLength(rows);
      for (const part of parts.slice(0, -1)) {
        const result = await this.appendPartToLog(realm, epoch, part.at(-1)?.seq ?? position, part);
        if (result.status !== 'OK') return result;
      }
      return this.appendPartToLog(realm, epoch, position, parts.at(-1) ?? []);
    });
  }

  private async appendPartToLog(
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

  async readLogStatus(realm: string): Promise<RealmLogStatus> {
    const [row] = await this.run<StoredEntryRow>('status', [realm]);
    return toStatus(row);
  }

  async readLogStatusWithQueueCount(realm: string): Promise<RealmLogStatus & { queues: number }> {
    const [row] = await this.run<StoredEntryRow & { queues: StoredInteger }>('statusWithQueues', [realm]);
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
    const params: StatementParameters = [realm, id, start.epoch, start.position, start.skip.join(','), leaseMs];
    const [result] = await this.run<{ finalized: boolean }>('finalize', params);
    return result?.finalized === true;
  }

  /**
   * Checks queues after the checks of the realm that began before. Each check locks the log of the realm, so that
   * concurrent checks would wait for each other and occupy the connections of the pool.
   */
  async checkQueuesOfPolls(
    realm: string,
    looks: readonly EventQueueCheckArguments[],
  ): Promise<EventQueueCheckResult[]> {
    const checked = looks.filter(({ id, owner }) => isStorableText(id) && isStorableText(owner));
    const params: StatementParameters = [
      realm,
      checked.map(({ id }) => id),
      checked.map(({ owner }) => owner),
      checked.map(({ lastEventId }) => toAcknowledgedUnits(lastEventId)),
      checked.map(({ token }) => token),
      checked.map(({ holdMs }) => Math.ceil(holdMs)),
      checked.map(({ renews }) => renews),
      checked.map(({ known }) => known),
    ];
    const rows = await this.checkOrder.runInOrder(realm, () => this.run<CheckedQueueRow>('poll', params));
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
    const params: StatementParameters = [realm, hardCap, capBytes, MAX_ENTRIES_PER_DELETION];
    while ((await this.run<{ hasMore: boolean }>('trim', params))[0]?.hasMore === true);
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

  private async run<R>(statement: TableLogStatement, params: StatementParameters): Promise<R[]> {
    const { pool, schema } = this.tables;
    const [realm] = params;
    await this.lock.lock();
    try {
      const { rows } = await pool.query<R>(tableLogSqlBySchema(schema)[statement], params);
      if (this.realmsToRecheck.delete(realm))
        this.channels.publish(this.getAnnouncementChannelName(realm), RECHECK_ANNOUNCEMENT);
      return rows;
    } catch (error) {
      if (isStatementOutcomeUnknown(error)) this.handleUnknownOutcome(statement, realm);
      throw new EventLogUnavailableError(`PostgreSQL, ${statement}: ${formatErrorText(error)}`, { cause: error });
    }
  }

  /**
   * Handles a statement that may have been committed. Readers then read up to the end of the log, and pending polls check
   * their queues when the database responds again.
   */
  private handleUnknownOutcome(statement: TableLogStatement, realm: string): void {
    if (growingStatements.has(statement))
      this.channels.publish(this.getAnnouncementChannelName(realm), String(Number.MAX_SAFE_INTEGER));
    if (pollEndingStatements.has(statement)) this.realmsToRecheck.add(realm);
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
