import type { Tx } from '@switchboard/database';
import type { OwnedRowsTable } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { FieldErrorMessages } from './invalid-input-problem.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import type { WrittenObjectWithTags } from './tag-assignments.js';

type RowOfNumbers = Readonly<Record<string, number>>;

/** Returns true if the request for a new object contains a value for a field that is a list of rows. */
export function hasRowListValues(model: ModelDefinition, item: ParsedRequestObject): boolean {
  return Object.entries(model.fields).some(
    ([name, { rows }]) => rows !== undefined && Object.hasOwn(item.values, name),
  );
}

/**
 * Collects errors for ids, in fields that are lists of rows, of objects that do not exist. Runs one statement for each
 * model.
 */
export async function collectMissingRowTargets(
  tx: Tx,
  items: readonly ParsedRequestObject[],
  { model, registry }: { model: ModelDefinition; registry: ModelRegistry },
): Promise<void> {
  for (const [name, { rows: stored }] of Object.entries(model.fields)) {
    if (stored === undefined) continue;
    const named = items.flatMap((item) =>
      item.problems[name] === undefined ? [{ item, rows: getRowsFromBody(item, name) }] : [],
    );
    for (const { name: column, part, to } of stored.columns) {
      const requested = [...new Set(named.flatMap(({ rows }) => rows.map((row) => row[column] ?? 0)))];
      if (to === undefined || requested.length === 0) continue;
      const known = await findExistingObjectIds(tx, registry.find(to), requested);
      for (const { item, rows } of named) {
        if (rows.every((row) => known.has(row[column] ?? 0))) continue;
        item.problems[name] = rows.map((row): FieldErrorMessages => {
          const id = row[column] ?? 0;
          return known.has(id) ? {} : { [part]: [`Invalid pk "${id}" - object does not exist.`] };
        });
      }
    }
  }
}

async function findExistingObjectIds(
  tx: Tx,
  target: ModelDefinition | null,
  ids: readonly number[],
): Promise<Set<number>> {
  if (target === null) return new Set();
  const { rows } = await tx.query<{ id: number }>(`SELECT id FROM ${target.table} WHERE id = ANY ($1::bigint[])`, [
    ids,
  ]);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Replaces the values of fields that are lists of rows with the lists in the request. Runs two statements per field,
 * regardless of the number of objects. Unchanged rows are not written. Removed rows are deleted first, so that two rows
 * can swap positions.
 *
 * @returns true if the request contains such a field for any object
 */
export async function replaceRowLists(
  tx: Tx,
  model: ModelDefinition,
  written: readonly WrittenObjectWithTags[],
): Promise<boolean> {
  let touched = false;
  for (const [name, { rows: stored }] of Object.entries(model.fields)) {
    if (stored === undefined) continue;
    const named = written.filter(({ item }) => item !== undefined && Object.hasOwn(item.values, name));
    if (named.length === 0) continue;
    touched = true;
    await replaceRowsOfField(
      tx,
      stored,
      named.map(({ objectId, item }) => ({ id: objectId, rows: getRowsFromBody(item, name) })),
    );
  }
  return touched;
}

async function replaceRowsOfField(
  tx: Tx,
  { table, own, columns }: OwnedRowsTable,
  objects: readonly { readonly id: number; readonly rows: readonly RowOfNumbers[] }[],
): Promise<void> {
  const names = [own, ...columns.map(({ name }) => name)];
  const given = `jsonb_to_recordset($1::jsonb) AS given(${names.map((name) => `${name} bigint`).join(', ')})`;
  const same = names.map((name) => `given.${name} = kept.${name}`).join(' AND ');
  const rows = JSON.stringify(objects.flatMap((object) => object.rows.map((row) => ({ ...row, [own]: object.id }))));
  await tx.query(
    `DELETE FROM ${table} kept WHERE kept.${own} = ANY ($2::bigint[]) AND NOT EXISTS (SELECT FROM ${given} WHERE ${same})`,
    [rows, objects.map(({ id }) => id)],
  );
  await tx.query(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map((name) => `given.${name}`).join(', ')} FROM ${given}
      WHERE NOT EXISTS (SELECT FROM ${table} kept WHERE ${same})`,
    [rows],
  );
}

function getRowsFromBody(item: ParsedRequestObject | undefined, name: string): readonly RowOfNumbers[] {
  const rows: unknown = item?.values[name];
  return Array.isArray(rows) ? rows : [];
}
