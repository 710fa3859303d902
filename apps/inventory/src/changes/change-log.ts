import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import { quoteSqlLiteral, type SqlText } from '../engine/sql/json-text-sql.js';
import { type ChangeAuthor, type ObjectChange, findParentObject } from '../engine/write/change-sink.js';
import { temporaryChangesTableName } from '../engine/write/staged-changes.js';

const changeActionByEvent = { created: 'create', updated: 'update', deleted: 'delete' } as const;
const maxObjectNameLength = 200;

/**
 * Returns the SQL statement that inserts change records of created objects; see
 * `ObjectChangeReceiver.recordCreationsSql`. `$5` is the user's id, `$6` the user name, `$7` the request id.
 */
export function createInsertCreationRecordsSql(model: ModelDefinition, from: SqlText): SqlText {
  return `INSERT INTO core_objectchange (user_id, user_name, request_id, action, changed_object_type, changed_object_id,
      related_object_type, related_object_id, object_repr, postchange_data)
    SELECT $5::bigint, $6::text, coalesce($7::uuid, gen_random_uuid()), 'create', ${quoteSqlLiteral(model.type)}, c.id,
      c.related_type, c.related_id, left(c.repr, ${maxObjectNameLength}), c.snapshot::jsonb FROM ${from} c ORDER BY c.id`;
}

/**
 * SQL common table expressions that create notifications for users who subscribe to updated or deleted objects. A new
 * notification replaces an older notification about the object. Subscriptions to deleted objects are deleted.
 */
const notifySubscribersOfChangesSql = `
  ended AS (DELETE FROM extras_subscription s USING r
    WHERE r.action = 'delete' AND s.object_type = r.type AND s.object_id = r.id RETURNING s.*),
  told AS (INSERT INTO extras_notification (object_type, object_id, user_id, event_type, object_repr)
    SELECT s.object_type, s.object_id, s.user_id, CASE r.action WHEN 'delete' THEN 'object_deleted' ELSE 'object_updated' END,
      left(r.repr, ${maxObjectNameLength})
    FROM (SELECT * FROM ended UNION ALL
      SELECT s.* FROM extras_subscription s JOIN r ON s.object_type = r.type AND s.object_id = r.id WHERE r.action = 'update') s
    JOIN r ON s.object_type = r.type AND s.object_id = r.id
    ON CONFLICT (object_type, object_id, user_id) DO UPDATE SET id = EXCLUDED.id, event_type = EXCLUDED.event_type,
      object_repr = EXCLUDED.object_repr, created = EXCLUDED.created, read = NULL)`;

const createInsertChangeRecordsSql = (source: SqlText): SqlText => `WITH r AS MATERIALIZED (${source}),
  ${notifySubscribersOfChangesSql}
  INSERT INTO core_objectchange (user_id, user_name, request_id, action, changed_object_type, changed_object_id,
    related_object_type, related_object_id, object_repr, message, prechange_data, postchange_data)
  SELECT $1::bigint, $2::text, coalesce($3::uuid, gen_random_uuid()), r.action, r.type, r.id, r.related_type, r.related_id,
    left(r.repr, ${maxObjectNameLength}), r.message, r.before, r.after
  FROM r ORDER BY r.ordinal`;

const insertChangeRecordsSql = createInsertChangeRecordsSql(`SELECT *
  FROM unnest($4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::jsonb[], $12::jsonb[])
    WITH ORDINALITY AS given (action, type, id, related_type, related_id, repr, message, before, after, ordinal)`);

/** SQL condition that a collected object change `c` changes no field; see {@link isChangeEmpty}. */
export const isEmptyChangeSql =
  "(c.event = 'updated' AND c.prechange IS NOT DISTINCT FROM c.postchange AND NOT c.hidden)";

const insertStagedChangeRecordsSql =
  createInsertChangeRecordsSql(`SELECT CASE c.event WHEN 'deleted' THEN 'delete' WHEN 'created' THEN 'create' ELSE 'update' END AS action, c.type, c.id,
    c.related_type, c.related_id, c.repr, c.message, c.prechange::jsonb AS before, c.postchange::jsonb AS after, c.place AS ordinal
  FROM ${temporaryChangesTableName} c WHERE c.part = $4 AND c.place > $5 AND c.place <= $6 AND c.is_logged AND NOT ${isEmptyChangeSql}`);

/**
 * Writes a range of a transaction's staged changes to the change log: changes with a `place` above `after` and at most
 * `to`. Staged changes are object changes collected in a temporary table. See {@link insertChangeRecords}.
 */
export async function insertRecordsOfStagedChanges(
  tx: Tx,
  { part, after, to }: { readonly part: number; readonly after: number; readonly to: number },
  { userId, username, request }: ChangeAuthor,
): Promise<void> {
  await tx.query(insertStagedChangeRecordsSql, [userId, username, request?.id ?? null, part, after, to]);
}

/** Returns true if an update of an object changed neither visible nor hidden fields. */
export function isChangeEmpty({ event, prechange, postchange, hidden }: ObjectChange): boolean {
  return event === 'updated' && prechange === postchange && hidden !== true;
}

/**
 * Writes object changes to the change log and notifies the subscribers of the objects, in one statement. Updates that
 * changed nothing get no record (docs/contract/inventory.md 4).
 */
export async function insertChangeRecords(
  tx: Tx,
  changes: readonly ObjectChange[],
  context: ChangeAuthor,
): Promise<void> {
  const kept = changes.filter((change) => change.model.changeLog && !isChangeEmpty(change));
  if (kept.length === 0) return;
  const related = kept.map(({ model, prechange, postchange, data }) =>
    model.relatedTo.length === 0
      ? null
      : findParentObject(model, parseStoredJsonObject(postchange ?? prechange), parseStoredJsonObject(data)),
  );
  await tx.query({
    name: 'log_changes',
    text: insertChangeRecordsSql,
    values: [
      context.userId,
      context.username,
      context.request?.id ?? null,
      kept.map(({ event }) => changeActionByEvent[event]),
      kept.map(({ model }) => model.type),
      kept.map(({ id }) => id),
      related.map((one) => one?.type ?? null),
      related.map((one) => one?.id ?? null),
      kept.map(({ data }) => String(parseStoredJsonObject(data)['display'] ?? '')),
      kept.map(({ message }) => message ?? ''),
      kept.map(({ prechange }) => prechange),
      kept.map(({ postchange }) => postchange),
    ],
  });
}

function parseStoredJsonObject(text: string | null): Record<string, unknown> {
  const value: unknown = JSON.parse(text ?? '{}');
  return { ...Object(value) };
}
