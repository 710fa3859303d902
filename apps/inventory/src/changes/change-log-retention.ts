import {
  ExpiredRowsDailyCleanup,
  createRepeatedDeleteFunction,
  type ExpiredRowsDailyCleanupOptions,
  type RemoveOldRowsFunction,
} from '../daily-cleanup.js';

const deleteOldChangeRecords = createRepeatedDeleteFunction(`DELETE FROM core_objectchange WHERE id IN (
  SELECT id FROM core_objectchange WHERE time < $2::timestamptz ORDER BY time LIMIT $1)`);

// Pages go from the oldest record to the newest. All records of one time are on the same page, so that the record of a
// deletion is removed after or together with the other records of its object. MATERIALIZED makes PostgreSQL search the
// records of an object once per page instead of once for each record on the page. Each search is one step in an index,
// so that an object with many records takes no longer. The order is that of the index, so that the planner uses it.
const deleteOldIntermediateRecordsSql = `
  WITH page AS (
    SELECT id, time, action, changed_object_type AS type, changed_object_id AS object
      FROM core_objectchange WHERE time > $3::timestamptz AND time < $2::timestamptz
     ORDER BY time FETCH FIRST $1 ROWS WITH TIES),
  objects AS MATERIALIZED (
    SELECT o.type, o.object,
      coalesce((SELECT true FROM core_objectchange c
         WHERE c.changed_object_type = o.type AND c.changed_object_id = o.object AND c.action = 'delete'
         ORDER BY c.changed_object_type, c.changed_object_id LIMIT 1), false) AS is_deleted,
      (SELECT c.id FROM core_objectchange c
         WHERE c.changed_object_type = o.type AND c.changed_object_id = o.object AND c.action = 'update'
         ORDER BY c.changed_object_type DESC, c.changed_object_id DESC, c.id DESC LIMIT 1) AS last_update
      FROM (SELECT DISTINCT type, object FROM page) o),
  removed AS (
    DELETE FROM core_objectchange c USING page p JOIN objects o USING (type, object)
     WHERE c.id = p.id AND (o.is_deleted OR NOT (p.action = 'create' OR p.action = 'update' AND p.id = o.last_update))
    RETURNING 1)
  SELECT (SELECT count(*)::int FROM removed) AS removed, max(time)::text AS reached FROM page`;

interface ChangeRecordPageRemovalResult {
  readonly removed: number;
  /** Time of the newest change record in a page of the change log; null for an empty page. */
  readonly reached: string | null;
}

/**
 * Removes old change records, except the creation record and the last update record of each object. Reads the change
 * log once in pages, so that retained records are not read again for each batch.
 */
const removeOldIntermediateChangeRecords: RemoveOldRowsFunction = async function* (database, before, limit) {
  let reached: string | null = '-infinity';
  while (reached !== null) {
    const pages: readonly ChangeRecordPageRemovalResult[] = (
      await database.query<ChangeRecordPageRemovalResult>(deleteOldIntermediateRecordsSql, [limit, before, reached])
    ).rows;
    yield pages[0]?.removed ?? 0;
    reached = pages[0]?.reached ?? null;
  }
};

/**
 * Creates the daily cleanup of the change log (docs/contract/inventory.md 4).
 *
 * @param retainsEnds true to retain the creation and the last update of objects that still exist
 */
export function createChangeLogCleanup({
  retainsEnds,
  ...options
}: Omit<ExpiredRowsDailyCleanupOptions, 'what' | 'removals'> & {
  readonly retainsEnds: boolean;
}): ExpiredRowsDailyCleanup {
  return new ExpiredRowsDailyCleanup({
    ...options,
    what: 'entries of the change log',
    removals: [retainsEnds ? removeOldIntermediateChangeRecords : deleteOldChangeRecords],
  });
}
