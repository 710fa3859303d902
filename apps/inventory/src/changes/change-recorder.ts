import type { Tx } from '@switchboard/database';
import { type Outbox, transactionHandle } from '@switchboard/queue';
import { auditObjectChanges, auditStagedChanges } from '../audit/audit-object-changes.js';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import { maskTextsInJson, canModelReturnEncryptedTexts } from '../engine/sealed/encrypted-text-sql.js';
import { quoteSqlLiteral, type SqlText } from '../engine/sql/json-text-sql.js';
import { listCountFieldNames } from '../engine/write/stored-columns-of-models.js';
import type {
  ChangeAuthor,
  ObjectChangeReceiver,
  ObjectChange,
  ObjectChangeHttpRequest,
  TemporaryTableChangeGroup,
} from '../engine/write/change-sink.js';
import {
  temporaryChangesTableName,
  forEachNumberRange,
  forEachChangeBatch,
  createJsonWithoutCountsSql,
} from '../engine/write/staged-changes.js';
import {
  createInsertCreationRecordsSql,
  isChangeEmpty,
  isEmptyChangeSql,
  insertChangeRecords,
  insertRecordsOfStagedChanges,
} from './change-log.js';
import { type InventoryChange, inventoryChangeOutboxMessageType } from './inventory-change-message.js';

/**
 * Maximum number of object changes whose change records are sent together with COMMIT. If there are more changes,
 * records are sent before in batches, so that the event loop runs between batches.
 */
const maxChangesRecordedWithCommit = 200;
const objectChangesPerOutboxBatch = 100;

interface ObjectChangesOfTransaction {
  readonly context: ChangeAuthor;
  readonly byObject: Map<string, ObjectChange>;
}

/**
 * Collects the object changes of a transaction. At the end of the transaction, adds one outbox message per changed
 * object (docs/contract/inventory.md 5.2). A creation with later updates becomes one creation. Several updates become
 * one update, from the first to the last state. A deletion replaces all earlier changes.
 */
export class ChangeRecorder implements ObjectChangeReceiver {
  readonly #pending = new WeakMap<Tx, ObjectChangesOfTransaction>();

  /**
   * @param skipsEmpty true to emit no event for updates that changed nothing
   * @param auditedModels models whose staged changes write audit lines
   */
  constructor(
    private readonly outbox: Outbox,
    private readonly skipsEmpty = false,
    private readonly auditedModels: readonly ModelDefinition[] = [],
  ) {}

  /** Collects changes of objects until the transaction ends; see {@link ObjectChangeReceiver}. */
  record(tx: Tx, changes: readonly ObjectChange[], context: ChangeAuthor): void {
    const pending = this.#pending.get(tx) ?? { context, byObject: new Map<string, ObjectChange>() };
    this.#pending.set(tx, pending);
    for (const change of changes.map(maskEncryptedTextsOfChange)) {
      const key = `${change.model.type}:${change.id}`;
      const earlier = pending.byObject.get(key);
      pending.byObject.set(key, earlier === undefined ? change : mergeObjectChanges(earlier, change));
    }
  }

  /**
   * Returns the SQL statements that insert the outbox messages and change records of created objects; see
   * {@link ObjectChangeReceiver}. The message payload equals the payload of {@link createChangeOutboxMessage}.
   */
  recordCreationsSql(model: ModelDefinition, from: SqlText): readonly SqlText[] {
    const data = createJsonWithoutCountsSql(model, "replace(c.data, $1, '')");
    const payload = [
      '$3::text',
      quoteSqlLiteral(`,"model":"${model.type}","id":`),
      'c.id',
      quoteSqlLiteral(',"data":'),
      data,
      quoteSqlLiteral(',"snapshots":{"prechange":null,"postchange":'),
      'c.snapshot',
      quoteSqlLiteral('}}'),
    ];
    const message = this.outbox.insertSql(inventoryChangeOutboxMessageType, {
      from: `${from} c ORDER BY c.id`,
      payload: `(${payload.join(' || ')})::json`,
      key: `${quoteSqlLiteral(`${model.type}:`)} || c.id`,
      context: '$4',
      source: '$8::text',
    });
    return [message, createInsertCreationRecordsSql(model, from)];
  }

  /** Returns the parameter values for the SQL statements of {@link recordCreationsSql}; see {@link ObjectChangeReceiver}. */
  recordCreationsValues(tx: Tx, count: number, { userId, username, request }: ChangeAuthor): unknown[] {
    const head = { event: 'created', ...createUserAndRequestColumns(username, request, formatChangeTime(new Date())) };
    const { context, source } = this.outbox.expectInsertedRows(
      transactionHandle(tx),
      inventoryChangeOutboxMessageType,
      count,
    );
    return [JSON.stringify(head).slice(0, -1), context, userId, username, request?.id ?? null, source];
  }

  /**
   * Writes staged object changes to the change log and then to the outbox. The outbox must be written last
   * (docs/contract/event-log.md 2.1).
   */
  async insertStaged(tx: Tx, parts: readonly TemporaryTableChangeGroup[], context: ChangeAuthor): Promise<void> {
    for (const staged of parts) {
      await forEachChangeBatch(staged, (after, to) =>
        insertRecordsOfStagedChanges(tx, { part: staged.part, after, to }, context),
      );
    }
    await auditStagedChanges(tx, this.auditedModels, context);
    const { username, request } = context;
    const head = JSON.stringify(createUserAndRequestColumns(username, request, formatChangeTime(new Date()))).slice(
      1,
      -1,
    );
    const total = parts.reduce((sum, { count }) => sum + count, 0);
    const { context: trace, source } = this.outbox.expectInsertedRows(
      transactionHandle(tx),
      inventoryChangeOutboxMessageType,
      total,
    );
    const insertion = this.#insertStagedSql();
    for (const staged of parts) {
      await forEachChangeBatch(staged, async (after, to) => {
        await tx.query(insertion, [head, trace, staged.part, after, to, source]);
      });
    }
  }

  /**
   * Returns the SQL statement that writes staged object changes to the outbox. The message payload equals the payload
   * of {@link createChangeOutboxMessage}.
   */
  #insertStagedSql(): SqlText {
    const empty = this.skipsEmpty ? ` AND NOT ${isEmptyChangeSql}` : '';
    const payload = [
      `'{"event":"' || c.event || '",' || $1::text || ',"model":' || to_json(c.type)::text || ',"id":' || c.id`,
      `',"data":' || c.data || ',"snapshots":{"prechange":' || coalesce(c.prechange, 'null')`,
      `',"postchange":' || coalesce(c.event_postchange, c.postchange, 'null') || '}}'`,
    ];
    return this.outbox.insertSql(inventoryChangeOutboxMessageType, {
      from: `${temporaryChangesTableName} c WHERE c.part = $3 AND c.place > $4 AND c.place <= $5 AND c.has_event${empty} ORDER BY c.place`,
      payload: `(${payload.join(' || ')})::json`,
      key: `c.type || ':' || c.id`,
      context: '$2',
      source: '$6::text',
    });
  }

  /**
   * Writes the collected object changes in batches if there are many: first to the change log, then to the outbox
   * (docs/contract/event-log.md 2.1). A small number of changes is left for {@link writeCollectedChanges}.
   */
  async writeIfMany(tx: Tx): Promise<void> {
    const pending = this.#pending.get(tx);
    if (pending === undefined || pending.byObject.size <= maxChangesRecordedWithCommit) return;
    this.#pending.delete(tx);
    const timestamp = formatChangeTime(new Date());
    const changes = [...pending.byObject];
    auditObjectChanges(tx, pending.byObject.values(), pending.context);
    await forEachNumberRange(changes.length, objectChangesPerOutboxBatch, (after, to) =>
      insertChangeRecords(
        tx,
        changes.slice(after, to).map(([, change]) => change),
        pending.context,
      ),
    );
    await forEachNumberRange(changes.length, objectChangesPerOutboxBatch, async (after, to) => {
      for (const [key, change] of changes.slice(after, to)) this.#addEvent(tx, key, change, pending.context, timestamp);
      await this.outbox.flush(transactionHandle(tx));
    });
  }

  #addEvent(tx: Tx, key: string, change: ObjectChange, context: ChangeAuthor, timestamp: string): void {
    if (!change.model.events || (this.skipsEmpty && isChangeEmpty(change))) return;
    this.outbox.add(
      transactionHandle(tx),
      inventoryChangeOutboxMessageType,
      createChangeOutboxMessage(change, context, timestamp),
      {
        key,
      },
    );
  }

  /**
   * Adds the transaction's object changes to the outbox and writes the changes to the change log. Must be called before
   * the outbox is flushed.
   */
  async writeCollectedChanges(tx: Tx): Promise<void> {
    const pending = this.#pending.get(tx);
    if (pending === undefined) return;
    this.#pending.delete(tx);
    auditObjectChanges(tx, pending.byObject.values(), pending.context);
    const timestamp = formatChangeTime(new Date());
    for (const [key, change] of pending.byObject) this.#addEvent(tx, key, change, pending.context, timestamp);
    await insertChangeRecords(tx, [...pending.byObject.values()], pending.context);
  }
}

function mergeObjectChanges(earlier: ObjectChange, later: ObjectChange): ObjectChange {
  const event = later.event === 'updated' && earlier.event === 'created' ? 'created' : later.event;
  const hidden = earlier.hidden === true || later.hidden === true;
  return { ...later, event, hidden, prechange: earlier.prechange, message: later.message ?? earlier.message };
}

/** Masks the encrypted texts of a changed object before the change is sent to webhooks. */
function maskEncryptedTextsOfChange(change: ObjectChange): ObjectChange {
  return canModelReturnEncryptedTexts(change.model) ? { ...change, data: maskTextsInJson(change.data) } : change;
}

function createChangeOutboxMessage(
  change: ObjectChange,
  { username, request }: ChangeAuthor,
  timestamp: string,
): InventoryChange {
  const { model, id, event, prechange, postchange } = change;
  const data = parseChangedObjectJson(change.data) ?? {};
  if (event === 'created') removeReferringObjectCounts(change, data);
  return {
    model: model.type,
    id,
    event,
    ...createUserAndRequestColumns(username, request, timestamp),
    data,
    snapshots: { prechange: parseChangedObjectJson(prechange), postchange: parseChangedObjectJson(postchange) },
  };
}

function createUserAndRequestColumns(username: string, request: ObjectChangeHttpRequest | null, timestamp: string) {
  return {
    timestamp,
    requestId: request?.id ?? null,
    username,
    request: request === null ? null : { ...request, user: username },
  };
}

/**
 * Removes the counts of referring objects from the event data of a new object. The reference API (NetBox) does not send
 * the counts (docs/contract/inventory.md 5.3).
 */
function removeReferringObjectCounts({ model }: ObjectChange, data: Record<string, unknown>): void {
  for (const name of listCountFieldNames(model)) delete data[name];
}

/**
 * Parses the JSON text of an object that PostgreSQL built. The object is validated when the outbox message is added.
 */
function parseChangedObjectJson(text: string | null): Record<string, unknown> | null {
  return text === null ? null : JSON.parse(text);
}

/** Formats a time as ISO 8601 with microseconds and `+00:00`, like event bodies of the reference API (NetBox). */
function formatChangeTime(time: Date): string {
  return time.toISOString().replace(/(\.\d{3})Z$/, '$1000+00:00');
}
