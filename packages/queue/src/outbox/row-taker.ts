import type { QueueTx } from '../database.js';
import type { OutboxMessageType } from './message-type.js';

/** An outbox row as stored in PostgreSQL. `payload` and `context` are JSON text. */
export interface StoredRow {
  id: string | number;
  key: string | null;
  version: number;
  payload: string;
  attempts: number;
  created_at_ms: number;
  context: string | null;
  /** True if the row was added by a transaction with many rows. */
  bulk: boolean;
  /** True if the row may be dispatched now. Otherwise rows with the same key have to wait for it. */
  ready: boolean;
}

/** An outbox row of an ordered message type, with the number of keys in its batch. */
interface LockedRow extends StoredRow {
  keys: number;
  last_key: string;
}

// Columns of a row. Times are numbers and JSON is text, so that results do not depend on the type parsers of the pool.
const ROW_COLUMNS = `o.id, o.key, o.version, o.payload::text AS payload, o.attempts, o.context::text AS context,
  o.realm <> '' AS bulk, (extract(epoch FROM o.created_at) * 1000)::float8 AS created_at_ms`;
const MAY_BE_SENT_SQL = `o.set_aside_at IS NULL AND o.version <= $2
  AND (o.not_before IS NULL OR o.not_before <= clock_timestamp())`;
const IS_READY_SQL = `o.seq IS NULL AND ${MAY_BE_SENT_SQL}`;

// Returns a condition that matches no index and that the planner assumes to be true for most rows. Table statistics are
// taken while the table is nearly empty. Otherwise the planner expects hardly any rows, and reads and sorts all waiting
// rows to select the first ones.
const likely = (condition: string): string => `(${condition})::int <> 0`;

const LOCK_ANY_ROWS = `SELECT ${ROW_COLUMNS}, true AS ready FROM queue.outbox o
  WHERE o.topic = $1 AND ${IS_READY_SQL} ORDER BY o.id LIMIT $3 FOR UPDATE SKIP LOCKED`;

// Selects the oldest row of a key with one index step in outbox_by_key per key, without reading the rows behind it.
const nextHeadSql = (after: string): string => `
  SELECT o.key, o.id, (${IS_READY_SQL}) AS ready FROM queue.outbox o
  WHERE o.topic = $1 AND ${likely('o.seq IS NULL')} AND ${after} ORDER BY o.key, o.id LIMIT 1`;

// Locks and reads rows of several keys. Locking the oldest row of a key reserves the key until COMMIT. Keys locked by
// other processes are skipped. The same statement reads the rows behind the locked one, which no other process can have
// dispatched.
const lockHeadsSql = (heads: string): string => `
  WITH RECURSIVE ${heads}, locked AS MATERIALIZED (
    SELECT o.key FROM head h, LATERAL (
      SELECT o.key FROM queue.outbox o WHERE o.id = h.id AND ${IS_READY_SQL} FOR UPDATE SKIP LOCKED) o
    WHERE h.ready LIMIT $3
  ), taken AS MATERIALIZED (
    SELECT count(*)::int AS keys, max(key) AS last_key FROM locked
  )
  SELECT r.*, t.keys, t.last_key FROM taken t, locked k, LATERAL (
    SELECT ${ROW_COLUMNS}, (${IS_READY_SQL}) AS ready FROM queue.outbox o
    WHERE o.topic = $1 AND o.key = k.key AND ${likely('o.seq IS NULL')}
    ORDER BY o.key, o.id LIMIT greatest(1, $3 / t.keys)) r
  ORDER BY r.id`;
const lockRowsByKeySql = (first: string): string =>
  lockHeadsSql(`head AS (
    (${nextHeadSql(first)})
    UNION ALL
    SELECT n.key, n.id, n.ready FROM head h, LATERAL (${nextHeadSql('o.key > h.key')}) n
  )`);
const LOCK_ROWS_BY_KEY = lockRowsByKeySql('o.key IS NOT NULL');
const LOCK_ROWS_AFTER_KEY = lockRowsByKeySql('o.key > $4');

// Selects the oldest ready rows of each source.
const lockRowsOfSourcesSql = (sources: string): string =>
  lockHeadsSql(`${sources}, candidate AS MATERIALIZED (
    SELECT DISTINCT c.key FROM source s, LATERAL (
      SELECT o.key FROM queue.outbox o
      WHERE (o.topic, o.realm) >= ($1, s.realm) AND (o.topic, o.realm) <= ($1, s.realm)
        AND o.seq IS NULL AND ${likely(MAY_BE_SENT_SQL)}
      ORDER BY o.topic, o.realm, o.id LIMIT greatest(1, $3 / (SELECT count(*)::int FROM source))) c
  ), head AS (
    SELECT h.* FROM candidate c, LATERAL (${nextHeadSql('o.key = c.key')}) h
  )`);
// Selects the next source in order. A condition `topic = $1` would start the scan at the topic's first row for every
// realm.
const nextSourceSql = (after: string): string => `
  SELECT o.realm FROM queue.outbox o WHERE (o.topic, o.realm) > ($1, ${after}) AND o.topic <= $1 AND o.seq IS NULL
  ORDER BY o.topic, o.realm LIMIT 1`;
const LOCK_SMALL_TRANSACTION_ROWS = lockRowsOfSourcesSql(`source AS (SELECT '' AS realm)`);
const LOCK_LARGE_TRANSACTION_ROWS = lockRowsOfSourcesSql(`every_source AS (
    (${nextSourceSql("''")})
    UNION ALL
    SELECT n.realm FROM every_source s, LATERAL (${nextSourceSql('s.realm')}) n
  ), source AS MATERIALIZED (SELECT realm FROM every_source LIMIT $3)`);

const SELECT_ONE_ROW = `SELECT ${ROW_COLUMNS}, true AS ready FROM queue.outbox o WHERE o.topic = $1 AND ${IS_READY_SQL} AND o.id = $3`;
const LOCK_ONE_ROW = {
  none: `${SELECT_ONE_ROW} FOR UPDATE SKIP LOCKED`,
  key: `${SELECT_ONE_ROW} AND NOT EXISTS (
    SELECT 1 FROM queue.outbox e WHERE e.topic = $1 AND e.key = o.key AND e.id < o.id AND e.seq IS NULL)
    FOR UPDATE OF o SKIP LOCKED`,
};

/**
 * Selects the outbox rows of one message type that a transaction dispatches next, and locks them against other
 * processes.
 */
export class RowSelector {
  /**
   * Last key of the previous batch in the pass over all keys. The next batch of the pass begins after it, so that every
   * key is reached.
   */
  private after: string | null = null;
  /**
   * Number of the next batch of an ordered message type. It selects the method by which the batch is chosen; the
   * methods alternate.
   */
  private turn = 0;

  constructor(
    private readonly topic: OutboxMessageType<unknown>,
    private readonly batchSize: number,
  ) {}

  /**
   * SQL that returns a row if any outbox row of the message type is ready, even one that another process has locked. It
   * has no parameters.
   */
  get anyReadySql(): string {
    const { name, version } = this.topic;
    return `SELECT 1 AS ready FROM queue.outbox o
      WHERE o.topic = '${name.replaceAll("'", "''")}' AND ${IS_READY_SQL.replace('$2', String(version))} LIMIT 1`;
  }

  /**
   * Locks and returns the next batch of outbox rows in the order of ids. If it is empty, no row is ready, or other
   * processes have locked all ready rows.
   */
  async lockNextRows(tx: QueueTx): Promise<StoredRow[]> {
    const { name, version, order } = this.topic;
    if (order === 'none') return (await tx.query<StoredRow>(LOCK_ANY_ROWS, [name, version, this.batchSize])).rows;
    const rows = await this.lockRowsByKey(tx);
    const held = new Set<string | null>();
    return rows.filter((row) => {
      if (!row.ready) held.add(row.key);
      return !held.has(row.key);
    });
  }

  /**
   * Locks and returns one outbox row if it is still ready. For an ordered message type, it must also be the oldest of
   * its key.
   */
  async lockOneRow(tx: QueueTx, id: string | number): Promise<StoredRow[]> {
    const { name, version, order } = this.topic;
    return (await tx.query<StoredRow>(LOCK_ONE_ROW[order], [name, version, id])).rows;
  }

  /**
   * Locks and returns outbox rows of several keys. Batches alternate between three methods: the oldest rows of small
   * transactions, the oldest rows of each large transaction, and a pass over all keys. The pass also reaches keys that
   * follow blocked ones.
   */
  private async lockRowsByKey(tx: QueueTx): Promise<LockedRow[]> {
    for (let tried = 0; tried < 3; tried += 1) {
      const turn = this.turn;
      this.turn = (turn + 1) % 3;
      const rows =
        turn === 2
          ? await this.lockRowsAfterKey(tx)
          : await this.runStatement(tx, turn === 0 ? LOCK_SMALL_TRANSACTION_ROWS : LOCK_LARGE_TRANSACTION_ROWS);
      if (rows.length > 0) return rows;
    }
    return [];
  }

  /**
   * Locks and returns outbox rows in the order of their keys, starting after the last key of the previous batch of the
   * pass. At the end of the keys, the pass starts again.
   */
  private async lockRowsAfterKey(tx: QueueTx): Promise<LockedRow[]> {
    let rows = this.after === null ? [] : await this.runStatement(tx, LOCK_ROWS_AFTER_KEY, [this.after]);
    if (rows.length === 0) rows = await this.runStatement(tx, LOCK_ROWS_BY_KEY);
    const [first] = rows;
    this.after = first && first.keys >= this.batchSize ? first.last_key : null;
    return rows;
  }

  private async runStatement(tx: QueueTx, statement: string, further: readonly unknown[] = []): Promise<LockedRow[]> {
    const { name, version } = this.topic;
    return (await tx.query<LockedRow>(statement, [name, version, this.batchSize, ...further])).rows;
  }
}
