import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import { getFoundTagIds } from './tag-changes.js';

interface TagAssignment {
  readonly object: number;
  readonly tag: number;
}

/** A written object, with the tags that the request contains for the object. */
export interface WrittenObjectWithTags {
  readonly objectId: number;
  readonly item: ParsedRequestObject | undefined;
}

/**
 * Sets the tags of objects to the tags in the request. Runs at most four statements, regardless of the number of
 * objects.
 *
 * @returns true if the request changes the tags of any object
 * @throws ApplicationError REQUEST_ABORTED if a tag is restricted to other models
 */
export async function replaceObjectTags(
  tx: Tx,
  { model, registry }: { model: ModelDefinition; registry: ModelRegistry },
  written: readonly WrittenObjectWithTags[],
): Promise<boolean> {
  const tables = model.fields['tags']?.tagTables;
  if (tables === undefined) return false;
  const replaced = written.filter(({ item }) => Array.isArray(item?.values['tags']));
  const added = [...createTagAssignments(replaced, 'tags'), ...createTagAssignments(written, 'add_tags')];
  const removed = createTagAssignments(written, 'remove_tags');
  if (replaced.length + added.length + removed.length === 0) return false;
  await rejectRestrictedTags(tx, model, registry.find(tables.type), added);
  if (replaced.length > 0) {
    const ids = replaced.map(({ objectId }) => objectId);
    await tx.query(`DELETE FROM ${tables.assignments} WHERE object_type = $1 AND object_id = ANY ($2::bigint[])`, [
      model.type,
      ids,
    ]);
  }
  const given = 'jsonb_to_recordset($2::jsonb) AS pair(object bigint, tag bigint)';
  if (removed.length > 0) {
    await tx.query(
      `DELETE FROM ${tables.assignments} a USING ${given}
        WHERE a.object_type = $1 AND a.object_id = pair.object AND a.tag_id = pair.tag`,
      [model.type, JSON.stringify(removed)],
    );
  }
  if (added.length > 0) {
    await tx.query(
      `INSERT INTO ${tables.assignments} (object_type, object_id, tag_id)
        SELECT $1, pair.object, pair.tag FROM ${given} ON CONFLICT DO NOTHING`,
      [model.type, JSON.stringify(added)],
    );
  }
  return true;
}

function createTagAssignments(written: readonly WrittenObjectWithTags[], key: string): TagAssignment[] {
  return written.flatMap(({ objectId, item }) => getFoundTagIds(item, key).map((tag) => ({ object: objectId, tag })));
}

async function rejectRestrictedTags(
  tx: Tx,
  model: ModelDefinition,
  tag: ModelDefinition | null,
  added: readonly TagAssignment[],
): Promise<void> {
  if (tag === null || added.length === 0) return;
  const { rows } = await tx.query<{ name: string }>(
    `SELECT name FROM ${tag.table} WHERE id = ANY ($1::bigint[]) AND object_types <> '{}' AND NOT $2 = ANY (object_types) ORDER BY name`,
    [added.map((pair) => pair.tag), model.type],
  );
  const [restricted] = rows;
  if (restricted === undefined) return;
  throw inventoryErrors.create('REQUEST_ABORTED', {
    message: `Tag ${restricted.name} cannot be assigned to ${model.verboseName} objects.`,
  });
}
