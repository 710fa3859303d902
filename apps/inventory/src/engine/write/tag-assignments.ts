import type { Tx } from '@switchboard/database';
import { errors } from '../../errors.js';
import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';

/** The tags that an object is to have. */
export interface TagAssignment {
  readonly objectId: number;
  readonly tagIds: readonly number[];
}

/**
 * Replaces the tags of objects, with three statements whatever their number.
 *
 * @throws AppError REQUEST_ABORTED when a tag is restricted to other models
 */
export async function assignTags(
  tx: Tx,
  {
    model,
    registry,
    assignments,
    tables,
  }: {
    model: ModelDefinition;
    registry: Registry;
    assignments: readonly TagAssignment[];
    tables: { type: string; assignments: string };
  },
): Promise<void> {
  const objectIds = assignments.map(({ objectId }) => objectId);
  const pairs = assignments.flatMap(({ objectId, tagIds }) => tagIds.map((tag) => ({ object: objectId, tag })));
  const tag = registry.find(tables.type);
  if (tag !== null && pairs.length > 0) {
    const { rows } = await tx.query<{ name: string }>(
      `SELECT name FROM ${tag.table} WHERE id = ANY ($1::bigint[]) AND object_types <> '{}' AND NOT $2 = ANY (object_types) ORDER BY name`,
      [pairs.map((pair) => pair.tag), model.type],
    );
    const [restricted] = rows;
    if (restricted !== undefined) {
      throw errors.create('REQUEST_ABORTED', {
        message: `Tag ${restricted.name} cannot be assigned to ${model.verboseName} objects.`,
      });
    }
  }
  await tx.query(`DELETE FROM ${tables.assignments} WHERE object_type = $1 AND object_id = ANY ($2::bigint[])`, [
    model.type,
    objectIds,
  ]);
  if (pairs.length === 0) return;
  await tx.query(
    `INSERT INTO ${tables.assignments} (object_type, object_id, tag_id)
      SELECT $1, pair.object, pair.tag FROM jsonb_to_recordset($2::jsonb) AS pair(object bigint, tag bigint)`,
    [model.type, JSON.stringify(pairs)],
  );
}
