import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import { areChangesRecorded, type ModelDefinition } from '../declaration/define-model.js';
import type { ReferenceToModel, ModelRegistry } from '../declaration/model-registry.js';
import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';
import { compareReferencesByDeletionRule, rowLocksByDeletionRule } from './deletion-plan.js';

/**
 * Rows of one model that will be deleted. The column `place` of {@link deletedRowsTableName} contains the numbers of the
 * rows, from 1 to `count`.
 */
export interface RowsToDelete {
  readonly model: ModelDefinition;
  readonly count: number;
}

/**
 * Rows of one model that have a reference that will be set to null. The column `place` of
 * {@link clearedReferencesTableName} contains the numbers of the rows, from 1 to `count`.
 */
export interface RowsWithReferenceToClear {
  readonly reference: ReferenceToModel;
  /**
   * Number that identifies the reference to set to null. The column `entry` contains the number in each row with the
   * reference.
   */
  readonly entry: number;
  readonly count: number;
}

/** All objects that a deletion affects, like `DeletionPlan`, but stored in temporary tables instead of memory. */
export interface TemporaryTableDeletionPlan {
  readonly deleted: readonly RowsToDelete[];
  readonly emptied: readonly RowsWithReferenceToClear[];
  /**
   * Objects that prevent the deletion because of their references. The column `id` of {@link deletionBlockersTableName} contains
   * the ids of these objects.
   */
  readonly blockers: readonly RowsToDelete[];
}

/**
 * Name of the temporary table with the objects to delete, with the columns `type`, `id` and `place`. `place` is the
 * object's position in the order in which the objects of its type are deleted.
 */
export const deletedRowsTableName = 'pg_temp.deletion_doomed';
/**
 * Name of the temporary table with the references to set to null. Columns: `entry`, `place`, `type`, `id`, and
 * `prechange` (the object's state before the deletion).
 */
export const clearedReferencesTableName = 'pg_temp.deletion_emptied';
/** Name of the temporary table with the objects that prevent the deletion. Columns: `type` and `id`. */
export const deletionBlockersTableName = 'pg_temp.deletion_blockers';

const deletionPlanTablesCreationSql: readonly SqlText[] = [
  `CREATE TEMP TABLE deletion_doomed (type text, id bigint, ordinal bigint GENERATED ALWAYS AS IDENTITY, level integer,
    parent bigint, place bigint, PRIMARY KEY (type, id)) ON COMMIT DROP`,
  'CREATE INDEX ON pg_temp.deletion_doomed (type, parent) WHERE parent IS NOT NULL',
  `CREATE TEMP TABLE deletion_emptied (entry integer, place bigint, type text, id bigint, prechange text,
    PRIMARY KEY (entry, id)) ON COMMIT DROP`,
  `CREATE TEMP TABLE deletion_blockers (type text, id bigint, ordinal bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (type, id)) ON COMMIT DROP`,
];

/**
 * SQL statement that numbers the objects to delete in the order of deletion. Children in a tree come before parents.
 * Other objects have the order of the search.
 */
const deletedRowsNumberingSql = `
  WITH RECURSIVE depths AS (
    SELECT type, id, 0 AS depth FROM ${deletedRowsTableName} WHERE parent IS NULL
    UNION ALL
    SELECT o.type, o.id, d.depth + 1 FROM depths d JOIN ${deletedRowsTableName} o ON o.type = d.type AND o.parent = d.id
  ), placed AS (
    SELECT type, id, row_number() OVER (PARTITION BY type ORDER BY coalesce(d.depth, 0) DESC, o.ordinal) AS place
    FROM ${deletedRowsTableName} o LEFT JOIN depths d USING (type, id)
  )
  UPDATE ${deletedRowsTableName} o SET place = p.place FROM placed p WHERE p.type = o.type AND p.id = o.id`;

/**
 * Returns true if rows of a model do not count towards the maximum number of objects of a deletion that finds them. A
 * change of such a row leaves no change record and no event, and leads to no other rows. Examples are the change records
 * of a user, whose user becomes null, and the assignments of a tag. Otherwise a user with many change records could
 * never be deleted.
 */
function isUncounted(registry: ModelRegistry, model: ModelDefinition, onDelete: ReferenceToModel['onDelete']): boolean {
  if (areChangesRecorded(model)) return false;
  return onDelete === 'set_null' || registry.listReferencesToModel(model.type).length === 0;
}

/**
 * Plans a deletion like `planObjectDeletion`, with one statement per reference and level. Stores the objects of the plan in
 * temporary tables instead of memory. Each statement that finds objects also locks the objects.
 *
 * @param most maximum total number of objects to delete and of objects whose references are set to null, without
 *   uncounted rows
 * @throws ApplicationError DELETION_TOO_LARGE before rows beyond `most` are locked
 */
export async function planDeletionInTemporaryTables(
  tx: Tx,
  registry: ModelRegistry,
  { model, ids, most }: { readonly model: ModelDefinition; readonly ids: readonly number[]; readonly most: number },
): Promise<TemporaryTableDeletionPlan> {
  for (const statement of deletionPlanTablesCreationSql) await tx.query(statement);
  await tx.query(
    `INSERT INTO ${deletedRowsTableName} (type, id, level) SELECT $1, given.id, 0
      FROM unnest($2::bigint[]) WITH ORDINALITY AS given (id, ordinal) ORDER BY given.ordinal`,
    [model.type, ids],
  );
  const emptied: ReferenceToModel[] = [];
  for (let level = 0; ; level += 1) {
    const frontier = await listModelsAtCascadeLevel(tx, registry, level);
    if (frontier.length === 0) break;
    const references = frontier.flatMap((referred) =>
      registry
        .listReferencesToModel(referred.type)
        .toSorted(compareReferencesByDeletionRule)
        .map((reference): ReferenceAtCascadeLevel => ({ reference, referred, level })),
    );
    await rejectLargeDeletion(tx, registry, references, most);
    for (const found of references) await storeReferringRows(tx, registry, found, emptied);
  }
  return {
    deleted: await assignNumbersToDeletedRows(tx, registry),
    emptied: await assignNumbersToClearedReferences(tx, emptied),
    blockers: await findDeletionBlockers(tx, registry),
  };
}

/**
 * A reference of other objects to the objects that one level of the cascade found. A cascade deletes the objects that
 * refer to deleted objects.
 */
interface ReferenceAtCascadeLevel {
  readonly reference: ReferenceToModel;
  readonly referred: ModelDefinition;
  readonly level: number;
}

/**
 * Returns the models of the objects that a deletion found at one level of its cascade, in the order in which the models
 * were found.
 */
async function listModelsAtCascadeLevel(tx: Tx, registry: ModelRegistry, level: number): Promise<ModelDefinition[]> {
  await tx.query(`ANALYZE ${deletedRowsTableName}`);
  const { rows } = await tx.query<{ type: string }>(
    `SELECT type FROM ${deletedRowsTableName} WHERE level = $1 GROUP BY type ORDER BY min(ordinal)`,
    [level],
  );
  return rows.flatMap(({ type }) => registry.find(type) ?? []);
}

function formatReferencesToModel({
  reference: { model, idColumn, typeColumn },
  referred,
  level,
}: ReferenceAtCascadeLevel): SqlText {
  const sameType = typeColumn === null ? '' : ` AND r.${typeColumn} = ${quoteSqlLiteral(referred.type)}`;
  return `FROM ${model.table} r WHERE r.${idColumn} IN (
    SELECT d.id FROM ${deletedRowsTableName} d WHERE d.type = ${quoteSqlLiteral(referred.type)} AND d.level = ${level})${sameType}`;
}

/**
 * Counts the objects found for a deletion so far, and the objects that refer to them.
 *
 * @throws ApplicationError DELETION_TOO_LARGE
 */
async function rejectLargeDeletion(
  tx: Tx,
  registry: ModelRegistry,
  references: readonly ReferenceAtCascadeLevel[],
  most: number,
): Promise<void> {
  const added = references
    .filter(({ reference: { model, onDelete } }) => onDelete !== 'protect' && !isUncounted(registry, model, onDelete))
    .map((found) => `SELECT ${quoteSqlLiteral(found.reference.model.type)}, r.id ${formatReferencesToModel(found)}`);
  const uncounted = (onDelete: 'cascade' | 'set_null'): SqlText =>
    registry.models
      .filter((model) => isUncounted(registry, model, onDelete))
      .map(({ type }) => quoteSqlLiteral(type))
      .join(', ');
  const all = [
    `SELECT type, id FROM ${deletedRowsTableName} WHERE level = 0 OR type <> ALL (ARRAY[${uncounted('cascade')}]::text[])`,
    `SELECT type, id FROM ${clearedReferencesTableName} WHERE type <> ALL (ARRAY[${uncounted('set_null')}]::text[])`,
    ...added,
  ];
  const { rows } = await tx.query<{ n: number }>(`SELECT count(*) AS n FROM (${all.join(' UNION ')}) o`);
  const count = rows[0]?.n ?? 0;
  if (count > most) throw inventoryErrors.create('DELETION_TOO_LARGE', { params: { count, limit: most } });
}

async function storeReferringRows(
  tx: Tx,
  registry: ModelRegistry,
  found: ReferenceAtCascadeLevel,
  emptied: ReferenceToModel[],
): Promise<void> {
  const { reference, referred, level } = found;
  const type = quoteSqlLiteral(reference.model.type);
  const { onDelete } = reference;
  // Uncounted rows may be very many, and no later statement depends on their locks.
  const isLocked = onDelete !== 'protect' && !isUncounted(registry, reference.model, onDelete);
  const rows = `found AS MATERIALIZED (SELECT r.id, r.${reference.idColumn} AS target ${formatReferencesToModel(found)}
    ORDER BY r.id ${isLocked ? `${rowLocksByDeletionRule[onDelete]} OF r` : ''})`;
  if (onDelete === 'protect') {
    await tx.query(
      `WITH ${rows} INSERT INTO ${deletionBlockersTableName} (type, id) SELECT ${type}, id FROM found ON CONFLICT DO NOTHING`,
    );
  } else if (onDelete === 'set_null') {
    const { rowCount } = await tx.query(
      `WITH ${rows} INSERT INTO ${clearedReferencesTableName} (entry, type, id) SELECT ${emptied.length}, ${type}, id FROM found`,
    );
    if (rowCount > 0) emptied.push(reference);
  } else {
    const isTree = reference.model === referred;
    const conflict = isTree ? '(type, id) DO UPDATE SET parent = excluded.parent' : 'DO NOTHING';
    await tx.query(`WITH ${rows} INSERT INTO ${deletedRowsTableName} (type, id, level, parent)
      SELECT ${type}, id, ${level + 1}, ${isTree ? 'target' : 'NULL'} FROM found ON CONFLICT ${conflict}`);
  }
}

async function assignNumbersToDeletedRows(tx: Tx, registry: ModelRegistry): Promise<RowsToDelete[]> {
  await tx.query(deletedRowsNumberingSql);
  await tx.query(`CREATE INDEX ON ${deletedRowsTableName} (type, place)`);
  await tx.query(`ANALYZE ${deletedRowsTableName}`);
  return countRowsPerModel(tx, registry, deletedRowsTableName);
}

/**
 * Numbers the rows whose reference will be set to null. Returns the number of rows for each reference. First removes
 * from the temporary table the rows that will themselves be deleted.
 */
async function assignNumbersToClearedReferences(
  tx: Tx,
  references: readonly ReferenceToModel[],
): Promise<RowsWithReferenceToClear[]> {
  if (references.length === 0) return [];
  await tx.query(
    `DELETE FROM ${clearedReferencesTableName} e USING ${deletedRowsTableName} d WHERE d.type = e.type AND d.id = e.id`,
  );
  await tx.query(`WITH placed AS (SELECT entry, id, row_number() OVER (PARTITION BY entry ORDER BY id) AS place FROM ${clearedReferencesTableName})
    UPDATE ${clearedReferencesTableName} e SET place = p.place FROM placed p WHERE p.entry = e.entry AND p.id = e.id`);
  await tx.query(`CREATE INDEX ON ${clearedReferencesTableName} (entry, place)`);
  await tx.query(`ANALYZE ${clearedReferencesTableName}`);
  const { rows } = await tx.query<{ entry: number; count: number }>(
    `SELECT entry, count(*) AS count FROM ${clearedReferencesTableName} GROUP BY entry ORDER BY entry`,
  );
  return rows.flatMap(({ entry, count }) => {
    const reference = references[entry];
    return reference === undefined ? [] : [{ reference, entry, count }];
  });
}

/**
 * Finds the objects that prevent a deletion. An object with a protecting reference does not prevent the deletion if
 * that object is also deleted.
 */
async function findDeletionBlockers(tx: Tx, registry: ModelRegistry): Promise<RowsToDelete[]> {
  const deleted = await countRowsPerModel(tx, registry, deletedRowsTableName);
  for (const { model } of deleted) {
    for (const { type, where } of model.extraDeleteBlockers) {
      const blocker = registry.find(type);
      if (blocker === null) continue;
      const ids = `ARRAY(SELECT d.id FROM ${deletedRowsTableName} d WHERE d.type = ${quoteSqlLiteral(model.type)})`;
      await tx.query(`INSERT INTO ${deletionBlockersTableName} (type, id)
        SELECT ${quoteSqlLiteral(type)}, b.id FROM ${blocker.table} b WHERE ${where('b', ids)} ORDER BY b.id ON CONFLICT DO NOTHING`);
    }
  }
  await tx.query(
    `DELETE FROM ${deletionBlockersTableName} b USING ${deletedRowsTableName} d WHERE d.type = b.type AND d.id = b.id`,
  );
  return countRowsPerModel(tx, registry, deletionBlockersTableName);
}

/**
 * Counts the objects in a temporary table for each model. Returns the counts in the order in which the models were
 * found.
 */
async function countRowsPerModel(tx: Tx, registry: ModelRegistry, table: SqlText): Promise<RowsToDelete[]> {
  const { rows } = await tx.query<{ type: string; count: number }>(
    `SELECT type, count(*) AS count FROM ${table} GROUP BY type ORDER BY min(ordinal)`,
  );
  return rows.flatMap(({ type, count }) => {
    const model = registry.find(type);
    return model === null ? [] : [{ model, count }];
  });
}
