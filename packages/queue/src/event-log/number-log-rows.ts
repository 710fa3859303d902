import { runInPoolTransaction, type QueuePool, type QueueTx } from '../database.js';
import type { NewOutboxRow } from '../outbox/outbox-row-buffer.js';
import { EVENT_LOG_TOPIC } from '../outbox/outbox-message-type.js';
import { createSqlCacheBySchema, DEFAULT_QUEUE_SCHEMA, toSchemaIdentifier } from '../queue-schema.js';
import type { NumberedOutboxRow } from './log-entry.js';

/** Numbered outbox rows of a realm, with the position and the epoch of the realm's log at the same moment. */
export interface NumberedOutboxRowsOfRealm {
  epoch: number;
  position: number;
  rows: NumberedOutboxRow[];
}

interface StoredNumberedRow {
  epoch: string | number;
  position: string | number;
  id: string | number | null;
  seq: string | number | null;
  weight: number | null;
  void: boolean | null;
  audience: string | null;
  payload: string | null;
}

function toNumberedOutboxRows(stored: readonly StoredNumberedRow[]): NumberedOutboxRowsOfRealm {
  const rows: NumberedOutboxRow[] = [];
  for (const row of stored) {
    if (row.id === null) continue;
    rows.push({
      id: String(row.id),
      seq: Number(row.seq),
      weight: row.weight ?? 1,
      void: row.void ?? false,
      // The content of a void row stays in PostgreSQL and is not sent.
      audience: (row.void === true ? null : row.audience) ?? '|',
      payload: (row.void === true ? null : row.payload) ?? '{"event":{}}',
    });
  }
  return { epoch: Number(stored[0]?.epoch ?? 1), position: Number(stored[0]?.position ?? 0), rows };
}

const rowNumberingSqlBySchema = createSqlCacheBySchema((schema) => ({
  assign: `SELECT * FROM ${schema}.assign($1, $2, $3, $4)`,
  assignBeforeCommit: `SELECT * FROM ${schema}.assign($1, $2, $3, NULL, true)`,
  addNumbered: `SELECT * FROM ${schema}.add_numbered($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  // The planner does not see the limit of the subquery, and so does not read and sort all rows of the realm.
  readNumbered: `
    SELECT l.epoch, l.position, o.id, o.seq, o.weight, o.void, o.audience, o.payload::text AS payload
    FROM ${schema}.event_log l LEFT JOIN LATERAL (
      (SELECT * FROM ${schema}.outbox WHERE topic = $1 AND realm = l.realm AND seq <= $3 ORDER BY seq DESC LIMIT 1)
      UNION ALL
      (SELECT * FROM ${schema}.outbox WHERE topic = $1 AND realm = l.realm AND seq > $3 ORDER BY seq
        LIMIT (SELECT $4::int))
    ) o ON true
    WHERE l.realm = $2 ORDER BY o.seq`,
  beginEpoch: `
    UPDATE ${schema}.event_log SET epoch = greatest(epoch, $3) + 1, position = greatest(position, $4) + 1
    WHERE realm = $1 AND epoch = $2`,
  listRealms: `SELECT realm, position FROM ${schema}.event_log ORDER BY realm`,
  listRealmsAfter: `SELECT realm, position FROM ${schema}.event_log
    WHERE $1::text IS NULL OR realm > $1 ORDER BY realm LIMIT $2`,
  readPosition: `SELECT position FROM ${schema}.event_log WHERE realm = $1`,
  readStart: `
    SELECT l.epoch, l.position, ARRAY(
      SELECT o.id::text FROM ${schema}.outbox o
      WHERE (o.topic, o.realm) >= ($1, $2) AND (o.topic, o.realm) <= ($1, $2) AND o.seq IS NULL
      ORDER BY o.topic, o.realm, o.id
    ) AS skip
    FROM ${schema}.event_log l WHERE l.realm = $2`,
}));

/** Access to the database tables of an event log: a connection pool, and the SQL identifier of the schema. */
export interface EventLogTables {
  readonly pool: QueuePool;
  readonly schema: string;
}

/**
 * Numbers up to `limit` committed rows of a realm in the order of their ids, and commits (step A; see `queue.assign` in
 * sql/008_numbers_by_index.sql). Resolves only when the commit is confirmed. After an error the outcome is
 * unknown, and the step must be repeated.
 *
 * @param deleteUpTo deletes rows numbered up to it in the same transaction (step D); null deletes none
 */
export async function numberCommittedRows(
  { pool, schema }: EventLogTables,
  realm: string,
  limit: number,
  deleteUpTo: number | null,
): Promise<NumberedOutboxRowsOfRealm> {
  const { rows } = await pool.query<StoredNumberedRow>(rowNumberingSqlBySchema(schema).assign, [
    EVENT_LOG_TOPIC,
    realm,
    limit,
    deleteUpTo,
  ]);
  return toNumberedOutboxRows(rows);
}

/**
 * Numbers the outbox rows that a writer has inserted (step A), in the last statement before the writer's COMMIT. The
 * numbers are valid when the server has confirmed COMMIT. Returns null if the rows must be numbered after the commit.
 */
export async function numberRowsInWriterTransaction(
  tx: QueueTx,
  schema: string,
  realm: string,
  limit: number,
): Promise<NumberedOutboxRowsOfRealm | null> {
  const { rows } = await tx.query<StoredNumberedRow>(rowNumberingSqlBySchema(schema).assignBeforeCommit, [
    EVENT_LOG_TOPIC,
    realm,
    limit,
  ]);
  return rows.length === 0 ? null : toNumberedOutboxRows(rows);
}

/**
 * Numbers rows like {@link numberRowsInWriterTransaction} for a writer whose only outbox row is `row`, and inserts this row in the
 * same statement (see `queue.add_numbered` in sql/008_numbers_by_index.sql). Returns null if the row was inserted
 * without a number.
 */
export async function insertAndNumberRow(
  tx: QueueTx,
  schema: string,
  row: NewOutboxRow,
  limit: number,
): Promise<NumberedOutboxRowsOfRealm | null> {
  const { rows } = await tx.query<StoredNumberedRow>(rowNumberingSqlBySchema(schema).addNumbered, [
    row.topic,
    row.realm,
    limit,
    row.version,
    row.payload,
    row.key,
    row.notBefore,
    row.context,
    row.audience,
    row.weight,
  ]);
  const [first] = rows;
  if (first === undefined) return null;
  const isOwn = rows.length === 1 && first.payload === null;
  return toNumberedOutboxRows(isOwn ? [{ ...first, payload: row.payload }] : rows);
}

/**
 * Reads the log position of a realm and the numbered outbox rows after position `last`, in ascending order, in one
 * statement (step B). If the newest row up to `last` still exists, the result begins with this row. Step C compares
 * this row with the log entry of the same number.
 */
export async function readNumberedRows(
  { pool, schema }: EventLogTables,
  realm: string,
  last: number,
  limit: number,
): Promise<NumberedOutboxRowsOfRealm> {
  const { rows } = await pool.query<StoredNumberedRow>(rowNumberingSqlBySchema(schema).readNumbered, [
    EVENT_LOG_TOPIC,
    realm,
    last,
    limit,
  ]);
  return toNumberedOutboxRows(rows);
}

/**
 * Starts a new epoch of a realm's log, with log positions greater than all assigned positions. Needed if PostgreSQL has
 * lost commits whose entries the store has. If several processes call this function, only the first call has an effect.
 * Afterwards, polls of all existing event queues fail.
 */
export async function beginLogEpoch(
  { pool, schema }: EventLogTables,
  realm: string,
  seen: { pgEpoch: number; redisEpoch: number; last: number },
): Promise<void> {
  await runInPoolTransaction(pool, async (tx) => {
    await tx.query("SELECT set_config('synchronous_commit', 'on', true)");
    await tx.query(rowNumberingSqlBySchema(schema).beginEpoch, [realm, seen.pgEpoch, seen.redisEpoch, seen.last]);
  });
}

/**
 * Number of units by which a restore increases log positions, so that the positions exceed the positions of most logs
 * in the store.
 */
const restoreLogPositionGap = 1_000_000;

/**
 * Returns the SQL statement that starts a new epoch of all event logs, for the transaction that restores a backup. The
 * number of the epoch is the time in seconds. It is therefore greater than the epochs of the stored logs, and differs
 * between two restores. Log positions increase, because units of a log never decrease (docs/contract/event-log.md 7).
 * If the position of a stored log is even higher, the dispatcher detects this and begins another epoch.
 *
 * @param schema schema of the queue's tables. Default: `queue`
 */
export function createNewLogEpochsSql(schema = DEFAULT_QUEUE_SCHEMA): string {
  return `UPDATE ${toSchemaIdentifier(schema)}.event_log SET position = position + ${restoreLogPositionGap},
    epoch = greatest(epoch, extract(epoch FROM clock_timestamp())::bigint) + 1`;
}

/**
 * Lists the realms that have an event log, with the highest assigned log position of the realm. A realm has an event
 * log after its first write or registration.
 */
export async function listRealmsWithLogs({
  pool,
  schema,
}: EventLogTables): Promise<{ realm: string; position: number }[]> {
  const { rows } = await pool.query<{ realm: string; position: string | number }>(
    rowNumberingSqlBySchema(schema).listRealms,
  );
  return rows.map(({ realm, position }) => ({ realm, position: Number(position) }));
}

/** Lists realms like {@link listRealmsWithLogs}: the first `limit` realms whose names follow `after`. */
export async function listRealmsWithLogsAfter(
  { pool, schema }: EventLogTables,
  after: string | null,
  limit: number,
): Promise<{ realm: string; position: number }[]> {
  const { rows } = await pool.query<{ realm: string; position: string | number }>(
    rowNumberingSqlBySchema(schema).listRealmsAfter,
    [after, limit],
  );
  return rows.map(({ realm, position }) => ({ realm, position: Number(position) }));
}

interface SharedRealmPositionRead {
  readonly under: Promise<number>;
  next: Promise<number> | undefined;
}

/**
 * Reads the highest assigned log position of realms. Only one read per realm runs at a time. Calls during a read share
 * the next read, because the running read may miss a position that was assigned after that read had begun.
 */
export class LogPositionReader {
  readonly #reads = new Map<string, SharedRealmPositionRead>();

  constructor(private readonly tables: EventLogTables) {}

  /** Returns the highest assigned log position of a realm. */
  readLastPositionOfRealm(realm: string): Promise<number> {
    const running = this.#reads.get(realm);
    if (running === undefined) return this.#startSharedRead(realm);
    return (running.next ??= running.under.then(
      () => this.#startSharedRead(realm),
      () => this.#startSharedRead(realm),
    ));
  }

  #startSharedRead(realm: string): Promise<number> {
    const read: SharedRealmPositionRead = { under: readLastLogPosition(this.tables, realm), next: undefined };
    this.#reads.set(realm, read);
    const ended = (): void => {
      if (this.#reads.get(realm) === read && read.next === undefined) this.#reads.delete(realm);
    };
    read.under.then(ended, ended);
    return read.under;
  }
}

async function readLastLogPosition({ pool, schema }: EventLogTables, realm: string): Promise<number> {
  const { rows } = await pool.query<{ position: string }>(rowNumberingSqlBySchema(schema).readPosition, [realm]);
  return Number(rows[0]?.position ?? 0);
}

/**
 * Reads the position in the log at which a new event queue starts (step 3 of a registration). The read must be the
 * first statement of `tx`, because the first statement determines the snapshot.
 */
export async function readQueueStartPosition(
  tx: QueueTx,
  schema: string,
  realm: string,
): Promise<{ epoch: number; position: number; skip: string[] }> {
  const { rows } = await tx.query<{ epoch: string; position: string; skip: string[] }>(
    rowNumberingSqlBySchema(schema).readStart,
    [EVENT_LOG_TOPIC, realm],
  );
  const [row] = rows;
  return { epoch: Number(row?.epoch ?? 1), position: Number(row?.position ?? 0), skip: row?.skip ?? [] };
}
