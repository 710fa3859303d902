import { createSqlCacheBySchema } from '../queue-schema.js';
import { MAX_AUDIENCE_LENGTH, UNITS_PER_HEADER_BLOCK } from './event-log-lua-scripts.js';

/** State of the log of realm $1, in one row even if the realm has no log yet. */
const selectState = (schema: string, columns: string, rest: string): string => `
  SELECT l.epoch, l.last, l.floor ${columns}
  FROM (SELECT 1) AS one LEFT JOIN ${schema}.event_log_state l ON l.realm = $1 ${rest}`;

/** SQL statements of an event log in tables (see sql/009_event_log_in_tables.sql). Each statement is a transaction. */
export const tableLogSqlBySchema = createSqlCacheBySchema((schema) => {
  const entryColumns = ', e.unit, e.previous_unit, e.row_id, e.audience, e.payload';
  return {
    append: `SELECT * FROM ${schema}.append_to_log($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    reset: `SELECT ${schema}.reset_log($1, $2, $3) AS changed`,
    // The log is read only up to the limit of bytes: the first entry beyond the limit is the last one.
    read: selectState(
      schema,
      entryColumns,
      `LEFT JOIN LATERAL (
        SELECT * FROM (
          SELECT n.*, sum(n.bytes) OVER (ORDER BY n.unit) - n.bytes AS bytes_before FROM (
            SELECT * FROM ${schema}.event_log_entry n WHERE n.realm = $1 AND n.unit > $2 ORDER BY n.unit LIMIT $3
          ) n
        ) n WHERE n.bytes_before < $4
      ) e ON true ORDER BY e.unit`,
    ),
    headers: selectState(
      schema,
      `, e.unit, e.previous_unit, e.row_id,
      CASE WHEN octet_length(e.audience) > ${MAX_AUDIENCE_LENGTH} THEN '*' ELSE e.audience END AS audience`,
      `LEFT JOIN ${schema}.event_log_entry e ON e.realm = $1
        AND e.unit >= $2::bigint * ${UNITS_PER_HEADER_BLOCK} AND e.unit < ($3::bigint + 1) * ${UNITS_PER_HEADER_BLOCK}
      ORDER BY e.unit`,
    ),
    pick: selectState(
      schema,
      entryColumns,
      `LEFT JOIN ${schema}.event_log_entry e ON e.realm = $1 AND e.unit = ANY ($2::bigint[]) ORDER BY e.unit`,
    ),
    status: selectState(schema, '', ''),
    statusWithQueues: selectState(
      schema,
      `, (SELECT count(*) FROM ${schema}.event_queue q WHERE q.realm = $1 AND q.state <> 'gone') AS queues`,
      '',
    ),
    record: `SELECT FROM ${schema}.record_event_queue($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    resume: `SELECT * FROM ${schema}.continue_event_queue($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    finalize: `SELECT ${schema}.finalize_event_queue($1, $2, $3, $4, $5, $6) AS finalized`,
    poll: `SELECT * FROM ${schema}.check_event_queues($1, $2, $3, $4, $5, $6, $7, $8)`,
    remove: `SELECT * FROM ${schema}.remove_event_queues($1, $2, $3)`,
    listOwners: `SELECT DISTINCT owner FROM ${schema}.event_queue WHERE realm = $1 AND owner = ANY ($2::text[])`,
    collect: `SELECT * FROM ${schema}.collect_event_queues($1, $2, $3, $4)`,
    trim: `SELECT ${schema}.trim_log($1, $2, $3, $4) AS "hasMore"`,
  };
});

/** Name of a statement of an event log in tables. */
export type TableLogStatement = keyof ReturnType<typeof tableLogSqlBySchema>;
