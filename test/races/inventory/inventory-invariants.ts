import type { ModelDefinition } from '../../../apps/inventory/src/engine/declaration/define-model.js';
import type { InventoryServices } from '../../../apps/inventory/src/open-inventory.js';
import { modelRegistry } from '../../../apps/inventory/src/models/index.js';

/**
 * Result of a check of the inventory's invariants: the problems, and the id of the newest change record that the check
 * covered.
 */
export interface CheckResult {
  readonly findings: readonly string[];
  readonly upTo: number;
}

/**
 * Checks the invariants of the inventory database. Checks all references that have no foreign key, and all objects with
 * change records newer than the given id.
 */
export async function brokenInvariants({ database }: InventoryServices, after: number): Promise<CheckResult> {
  const findings: string[] = [];
  const run = async (name: string, text: string, values: unknown[] = []): Promise<void> => {
    const { rows } = await database.query<object>(`${text} LIMIT 5`, values);
    if (rows.length > 0) findings.push(`${name}: ${JSON.stringify(rows)}`);
  };
  await run('generic references lead to objects', danglingSql());
  const { rows: changed } = await database.query<{ type: string; last: number }>(
    'SELECT changed_object_type AS type, max(id) AS last FROM core_objectchange WHERE id > $1 GROUP BY 1',
    [after],
  );
  for (const { type } of changed) {
    const model = modelRegistry.find(type);
    if (model !== null) await run(`the change log equals the state of ${type}`, unequalSql(model), [after]);
  }
  return { findings, upTo: Math.max(after, ...changed.map(({ last }) => last)) };
}

/** Returns the SQL that selects the objects with a generic reference to an object that does not exist. */
function danglingSql(): string {
  const branches = modelRegistry.models.flatMap((model) =>
    Object.values(model.fields).flatMap(({ relation }) => {
      const { typeField, idField, targets = [] } = relation ?? {};
      // Notifications may refer to deleted objects.
      if (typeField === undefined || idField === undefined || model.type === 'extras.notification') return [];
      return targets.flatMap((type) => {
        const target = modelRegistry.find(type);
        return target === null
          ? []
          : [
              `SELECT '${model.type}' AS model, '${type}' AS target, ${idField} AS id FROM ${model.table} t
                WHERE ${typeField} = '${type}' AND NOT EXISTS (SELECT FROM ${target.table} o WHERE o.id = t.${idField})`,
            ];
      });
    }),
  );
  return branches.join(' UNION ALL ');
}

/**
 * Returns the SQL that selects the objects whose newest change record contradicts the database. The record and the
 * database differ in the existence of the object or in a reference.
 */
function unequalSql({ type, table, fields }: ModelDefinition): string {
  const differs = Object.entries(fields).flatMap(([name, field]) => {
    const column = field.column(name)?.name;
    return field.relation?.kind === 'ref' && column !== undefined && field.snapshot !== undefined
      ? [`(c.postchange_data ? '${name}' AND (c.postchange_data ->> '${name}')::bigint IS DISTINCT FROM t."${column}")`]
      : [];
  });
  const conditions = [
    "(c.action = 'delete') <> (t.id IS NULL)",
    ...differs.map((one) => `(t.id IS NOT NULL AND ${one})`),
  ];
  return `SELECT c.changed_object_id AS id, c.action, c.postchange_data FROM (
      SELECT DISTINCT ON (changed_object_id) * FROM core_objectchange
        WHERE changed_object_type = '${type}' AND changed_object_id IN (
          SELECT changed_object_id FROM core_objectchange WHERE id > $1 AND changed_object_type = '${type}')
        ORDER BY changed_object_id, id DESC
    ) c LEFT JOIN ${table} t ON t.id = c.changed_object_id WHERE ${conditions.join(' OR ')}`;
}
