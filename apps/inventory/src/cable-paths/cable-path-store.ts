import type { Tx } from '@switchboard/database';
import { createPreparedQuery } from '../engine/sql/parameterized-statement.js';
import type { ObjectTypeAndId } from './cable-graph.js';
import { splitIntoTypesAndIds } from './load-cable-graph.js';
import type { CablePath } from './cable-path-tracer.js';

/** A cable path that is stored in the database, with its id. */
export interface StoredCablePath extends CablePath {
  readonly id: number;
}

/** Row of a stored cable path: id, three flags, and a step, type and id for each object, in the order of the path. */
type StoredPathRow = readonly [number, boolean, boolean, boolean, readonly (readonly [number, string, number])[]];

const selectCablePathsSql = `SELECT p.id, p.is_active, p.is_complete, p.is_split, (SELECT json_agg(json_build_array(n.step, n.object_type, n.object_id)
      ORDER BY n.step, n.place) FROM dcim_cablepathnode n WHERE n.path_id = p.id) AS nodes
  FROM dcim_cablepath p WHERE p.id IN (SELECT n.path_id FROM unnest($1::text[], $2::bigint[]) AS o (type, id), LATERAL (
    SELECT n.path_id FROM dcim_cablepathnode n WHERE n.object_type = o.type AND n.object_id = o.id AND n.is_origin OFFSET 0) n)`;

/** Reads the stored cable paths that begin at the given endpoints. */
export async function loadStoredCablePaths(
  tx: Tx,
  origins: readonly ObjectTypeAndId[],
): Promise<readonly StoredCablePath[]> {
  const { rows } = await tx.query<StoredPathRow>(
    createPreparedQuery(selectCablePathsSql, splitIntoTypesAndIds(origins)),
  );
  return rows.map(([id, isActive, isComplete, isSplit, nodes]) => {
    const steps: ObjectTypeAndId[][] = [];
    for (const [step, type, object] of nodes) (steps[step] ??= []).push({ type, id: object });
    return { id, isActive, isComplete, isSplit, steps: Array.from(steps, (objects) => objects ?? []) };
  });
}

/** Returns a text for the comparison of cable paths. Paths with equal objects and flags have equal texts. */
export function createCablePathComparisonKey({ steps, isActive, isComplete, isSplit }: CablePath): string {
  return JSON.stringify([isActive, isComplete, isSplit, steps.map((step) => step.map(({ type, id }) => [type, id]))]);
}

/** Deletes stored cable paths and inserts new cable paths, with one statement per table. */
export async function replaceStoredCablePaths(
  tx: Tx,
  removed: readonly StoredCablePath[],
  added: readonly CablePath[],
): Promise<void> {
  if (removed.length > 0) {
    await tx.query('DELETE FROM dcim_cablepath WHERE id = ANY ($1::bigint[])', [removed.map(({ id }) => id)]);
  }
  if (added.length === 0) return;
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO dcim_cablepath (is_active, is_complete, is_split)
      SELECT p.active, p.complete, p.split FROM unnest($1::boolean[], $2::boolean[], $3::boolean[]) WITH ORDINALITY
        AS p (active, complete, split, place) ORDER BY p.place RETURNING id`,
    [
      added.map(({ isActive }) => isActive),
      added.map(({ isComplete }) => isComplete),
      added.map(({ isSplit }) => isSplit),
    ],
  );
  const nodes = added.flatMap(({ steps, isComplete }, index) =>
    steps.flatMap((objects, step) =>
      objects.map(({ type, id }, place) => ({
        path: rows[index]?.id ?? 0,
        step,
        place,
        type,
        id,
        isOrigin: step === 0,
        isDestination: isComplete && step === steps.length - 1,
      })),
    ),
  );
  await tx.query(
    `INSERT INTO dcim_cablepathnode (path_id, step, place, object_type, object_id, is_origin, is_destination)
      SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::bigint[], $6::boolean[], $7::boolean[])`,
    [
      nodes.map(({ path }) => path),
      nodes.map(({ step }) => step),
      nodes.map(({ place }) => place),
      nodes.map(({ type }) => type),
      nodes.map(({ id }) => id),
      nodes.map(({ isOrigin }) => isOrigin),
      nodes.map(({ isDestination }) => isDestination),
    ],
  );
}
