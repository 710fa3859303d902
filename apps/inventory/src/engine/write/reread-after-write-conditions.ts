import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/define-model.js';
import { getNullableReferenceColumn } from '../read/object-json-fragments.js';
import type { CandidateRowValues } from './validation-error.js';

/**
 * Returns true if newly created objects must be read again for the response. This is necessary if triggers also change
 * other rows, or if the JSON of one new object contains data of another new object.
 */
export function mustRereadAfterCreate(model: ModelDefinition, candidates: readonly CandidateRowValues[]): boolean {
  if (model.rereadAfterCreateOfMany && candidates.length > 1) return true;
  return hasAnyFieldValue(model, model.rereadAfterCreateFields, candidates);
}

/**
 * Returns true if updated objects must be read again for the response. This is necessary if triggers also change other
 * rows, or if the JSON of one updated object contains data of another updated object. The UPDATE statement builds the
 * JSON of each object from the old state of the other objects.
 */
export async function mustRereadAfterUpdate(
  tx: Tx,
  model: ModelDefinition,
  candidates: readonly CandidateRowValues[],
): Promise<boolean> {
  if (model.rereadAfterUpdate || haveMutualReferences(model, candidates)) return true;
  return (
    hasAnyFieldValue(model, model.rereadAfterUpdateFields, candidates) || doObjectsShowEachOther(tx, model, candidates)
  );
}

async function doObjectsShowEachOther(
  tx: Tx,
  { showEachOther: condition }: ModelDefinition,
  candidates: readonly CandidateRowValues[],
): Promise<boolean> {
  if (condition === null || candidates.length < 2) return false;
  const { rows } = await tx.query<{ found: boolean }>(`SELECT (${condition('$1::bigint[]')}) AS found`, [
    candidates.map(({ id }) => id),
  ]);
  return rows[0]?.found ?? false;
}

/** Returns true if at least one of the rows has a value in at least one of the given fields. */
function hasAnyFieldValue(
  model: ModelDefinition,
  names: readonly string[],
  candidates: readonly CandidateRowValues[],
): boolean {
  const columns = names.map((name) => model.fields[name]?.column(name)?.name ?? name);
  return columns.some((column) => candidates.some((row) => row[column] !== null && row[column] !== undefined));
}

function haveMutualReferences(model: ModelDefinition, candidates: readonly CandidateRowValues[]): boolean {
  if (candidates.length < 2) return false;
  const columns = Object.entries(model.fields).flatMap(([name, field]) => {
    const refers = field.relation?.kind === 'ref' && field.relation.targets.includes(model.type);
    return refers ? [field.column(name)?.name ?? name] : [];
  });
  const ids = new Set(candidates.map(({ id }) => id));
  return columns.some((column) => candidates.some((row) => ids.has(row[column])));
}

/** Returns the names of the references that are null in all rows. */
export function findNullReferences(model: ModelDefinition, rows: readonly CandidateRowValues[]): string[] {
  return Object.keys(model.fields).filter((name) => {
    const column = getNullableReferenceColumn(model, name);
    return column !== null && rows.every((row) => (row[column] ?? null) === null);
  });
}
