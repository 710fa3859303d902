import { createSqlCacheBySchema } from '../queue-schema.js';

// Columns of a row. Times are numbers and JSON is text, so that results do not depend on the type parsers of the pool.
const OUTBOX_ROW_COLUMNS_SQL = `o.id, o.key, o.version, o.payload::text AS payload, o.attempts, o.context::text AS context,
  o.realm <> '' AS bulk, (extract(epoch FROM o.created_at) * 1000)::float8 AS created_at_ms`;
const MAY_DISPATCH_OUTBOX_ROW_SQL = `o.set_aside_at IS NULL AND o.version <= $2
  AND (o.not_before IS NULL OR o.not_before <= clock_timestamp())`;
const IS_OUTBOX_ROW_READY_SQL = `o.seq IS NULL AND ${MAY_DISPATCH_OUTBOX_ROW_SQL}`;

// Returns a condition that matches no index and that the planner assumes to be true for most rows. Table statistics are
// taken while the table is nearly empty. Otherwise the planner expects hardly any rows, and reads and sorts all waiting
// rows to select the first ones. A test reads rows with several statistics (outbox-statistics.spec.ts).
const hideConditionFromQueryPlanner = (condition: string): string => `(${condition})::int <> 0`;

/** Maximum total size in bytes of the payloads in one batch of outbox rows. The first row of a batch may be larger. */
const maxBatchPayloadBytes = 16 * 1024 * 1024;

/**
 * Returns SQL that omits the last of the given outbox rows, in the order of `order`, if the payloads together are too
 * large. The omitted rows are locked, but never reach this process. The column `selected` is the number of all given
 * rows.
 */
const limitPayloadBytesSql = (rows: string, order: string): string => `
  SELECT b.* FROM (
    SELECT r.*, sum(octet_length(r.payload)) OVER (ORDER BY ${order}) AS batch_bytes, count(*) OVER ()::int AS selected
    FROM (${rows}) r) b
  WHERE b.batch_bytes <= ${maxBatchPayloadBytes} OR b.batch_bytes = octet_length(b.payload) ORDER BY ${order}`;

/** SQL statements that select and lock the outbox rows of one message type, by schema. */
export const createOutboxRowSelectionSql = createSqlCacheBySchema((schema) => {
  // Selects the ready rows of a message type in the order of outbox_unassigned. Any other index would require a sort.
  const readyRowsSql = (columns: string, topic: string, mayBeSent: string): string => `
    SELECT ${columns} FROM ${schema}.outbox o
    WHERE o.topic >= ${topic} AND o.topic <= ${topic} AND o.seq IS NULL AND ${hideConditionFromQueryPlanner(mayBeSent)}
    ORDER BY o.topic, o.realm, o.id`;
  const anyRowColumnsSql = `${OUTBOX_ROW_COLUMNS_SQL}, o.realm, true AS ready`;
  const lockAnyRows = limitPayloadBytesSql(
    `${readyRowsSql(anyRowColumnsSql, '$1', MAY_DISPATCH_OUTBOX_ROW_SQL)} LIMIT $3 FOR UPDATE SKIP LOCKED`,
    'realm, id',
  );

  // Selects the oldest row of a key with one index step in outbox_by_key per key, without reading the rows behind it.
  const nextHeadSql = (after: string): string => `
    SELECT o.key, o.id, (${IS_OUTBOX_ROW_READY_SQL}) AS ready FROM ${schema}.outbox o
    WHERE o.topic = $1 AND ${hideConditionFromQueryPlanner('o.seq IS NULL')} AND ${after} ORDER BY o.key, o.id LIMIT 1`;

  // Locks and reads rows of several keys. Locking the oldest row of a key reserves the key until COMMIT. Keys locked by
  // other processes are skipped. The same statement reads the rows behind the locked one, which no other process can have
  // dispatched.
  const rowsOfLockedKeysSql = `
    SELECT r.*, t.keys, t.last_key FROM taken t, locked k, LATERAL (
      SELECT ${OUTBOX_ROW_COLUMNS_SQL}, (${IS_OUTBOX_ROW_READY_SQL}) AS ready FROM ${schema}.outbox o
      WHERE o.topic = $1 AND o.key = k.key AND ${hideConditionFromQueryPlanner('o.seq IS NULL')}
      ORDER BY o.key, o.id LIMIT greatest(1, $3 / t.keys)) r`;
  const lockHeadsSql = (heads: string): string => `
    WITH RECURSIVE ${heads}, locked AS MATERIALIZED (
      SELECT o.key FROM head h, LATERAL (
        SELECT o.key FROM ${schema}.outbox o WHERE o.id = h.id AND ${IS_OUTBOX_ROW_READY_SQL} FOR UPDATE SKIP LOCKED) o
      WHERE h.ready LIMIT $3
    ), taken AS MATERIALIZED (
      SELECT count(*)::int AS keys, max(key) AS last_key FROM locked
    )
    ${limitPayloadBytesSql(rowsOfLockedKeysSql, 'id')}`;
  const lockRowsByKeySql = (first: string): string =>
    lockHeadsSql(`head AS (
      (${nextHeadSql(first)})
      UNION ALL
      SELECT n.key, n.id, n.ready FROM head h, LATERAL (${nextHeadSql('o.key > h.key')}) n
    )`);
  const lockRowsByKey = lockRowsByKeySql('o.key IS NOT NULL');
  const lockRowsAfterKey = lockRowsByKeySql('o.key > $4');

  // Selects the oldest ready rows of each source.
  const lockRowsOfSourcesSql = (sources: string): string =>
    lockHeadsSql(`${sources}, candidate AS MATERIALIZED (
      SELECT DISTINCT c.key FROM source s, LATERAL (
        SELECT o.key FROM ${schema}.outbox o
        WHERE (o.topic, o.realm) >= ($1, s.realm) AND (o.topic, o.realm) <= ($1, s.realm)
          AND o.seq IS NULL AND ${hideConditionFromQueryPlanner(MAY_DISPATCH_OUTBOX_ROW_SQL)}
        ORDER BY o.topic, o.realm, o.id LIMIT greatest(1, $3 / (SELECT count(*)::int FROM source))) c
    ), head AS (
      SELECT h.* FROM candidate c, LATERAL (${nextHeadSql('o.key = c.key')}) h
    )`);
  // Selects the next source in order. A condition `topic = $1` would start the scan at the topic's first row for every
  // realm.
  const nextSourceSql = (after: string): string => `
    SELECT o.realm FROM ${schema}.outbox o WHERE (o.topic, o.realm) > ($1, ${after}) AND o.topic <= $1 AND o.seq IS NULL
    ORDER BY o.topic, o.realm LIMIT 1`;
  const lockSmallTransactionRows = lockRowsOfSourcesSql(`source AS (SELECT '' AS realm)`);
  const lockLargeTransactionRows = lockRowsOfSourcesSql(`every_source AS (
      (${nextSourceSql("''")})
      UNION ALL
      SELECT n.realm FROM every_source s, LATERAL (${nextSourceSql('s.realm')}) n
    ), source AS MATERIALIZED (SELECT realm FROM every_source LIMIT $3)`);

  const selectOneRow = `SELECT ${OUTBOX_ROW_COLUMNS_SQL}, true AS ready FROM ${schema}.outbox o
    WHERE o.id = $3 AND ${hideConditionFromQueryPlanner(`o.topic = $1 AND ${IS_OUTBOX_ROW_READY_SQL}`)}`;
  const lockOneRow = {
    none: `${selectOneRow} FOR UPDATE SKIP LOCKED`,
    key: `${selectOneRow} AND o.id = (
      SELECT e.id FROM ${schema}.outbox e WHERE e.topic = $1 AND e.key = o.key AND ${hideConditionFromQueryPlanner('e.seq IS NULL')}
      ORDER BY e.key, e.id LIMIT 1) FOR UPDATE OF o SKIP LOCKED`,
  };
  return {
    lockAnyRows,
    lockRowsByKey,
    lockRowsAfterKey,
    lockSmallTransactionRows,
    lockLargeTransactionRows,
    lockOneRow,
    /**
     * Returns SQL without parameters that returns a row if any outbox row is ready for dispatch, even if another
     * process has locked the row.
     */
    anyReady: (topic: string, version: number) => {
      const mayBeSent = MAY_DISPATCH_OUTBOX_ROW_SQL.replace('$2', String(version));
      return `${readyRowsSql('1 AS ready', `'${topic.replaceAll("'", "''")}'`, mayBeSent)} LIMIT 1`;
    },
  };
});
