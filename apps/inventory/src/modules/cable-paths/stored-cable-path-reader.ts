import type { PermissionGrant } from '../../engine/object-access.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { createPreparedQuery, SqlParameters } from '../../engine/sql/parameterized-statement.js';
import { inventoryErrors } from '../../errors.js';
import type { ReadOnlyResponseDatabase } from '../../response-memory/index.js';

/** An object on a cable path: the number of its step, and its model and id. */
type StoredCablePathNode = readonly [step: number, type: string, id: number];

/** A stored cable path in the form that the API shows. */
export interface CablePathForApi {
  readonly id: number;
  readonly isActive: boolean;
  readonly isComplete: boolean;
  readonly isSplit: boolean;
  readonly steps: readonly (readonly { readonly type: string; readonly id: number }[])[];
}

/**
 * Request for cable paths: the object whose cable paths are read, and the objects of its model that the user may view.
 */
export interface CablePathReadRequest {
  readonly model: ModelDefinition;
  readonly id: string;
  readonly grant: PermissionGrant;
}

/**
 * SQL query of the cable paths of a trace that begins at an object. A complete path may end at a single interface that
 * has a bridge. The trace then continues with the cable path of the bridge.
 */
const tracedPathsSql = `WITH RECURSIVE chain AS (
    SELECT o.path_id, 1 AS ordinal, ARRAY[o.path_id] AS earlier FROM dcim_cablepathnode o
      WHERE o.object_type = $1 AND o.object_id = $2::bigint AND o.is_origin
    UNION ALL
    SELECT b.path_id, c.ordinal + 1, c.earlier || b.path_id FROM chain c
      JOIN LATERAL (SELECT min(d.object_id) AS id FROM dcim_cablepathnode d WHERE d.path_id = c.path_id AND d.is_destination
        HAVING count(*) = 1 AND min(d.object_type) = 'dcim.interface') e ON true
      JOIN dcim_interface i ON i.id = e.id
      JOIN dcim_cablepathnode b ON b.object_type = 'dcim.interface' AND b.object_id = i.bridge_id AND b.is_origin
      WHERE b.path_id <> ALL (c.earlier))
  SELECT c.ordinal, c.path_id FROM chain c`;

/** SQL query of the cable paths that pass through an object. */
const pathsThroughObjectSql = `SELECT DISTINCT n.path_id AS ordinal, n.path_id FROM dcim_cablepathnode n WHERE n.object_type = $1 AND n.object_id = $2::bigint`;

/**
 * Returns the cable path that begins at an object. If the path ends at an interface with a bridge, also returns the
 * cable path of the bridge.
 */
export function readStoredCablePaths(
  database: ReadOnlyResponseDatabase,
  request: CablePathReadRequest,
): Promise<readonly CablePathForApi[]> {
  return readSelectedCablePaths(database, request, tracedPathsSql);
}

/** Returns the cable paths that pass through an object, ordered by id. */
export function readPathsThroughObject(
  database: ReadOnlyResponseDatabase,
  request: CablePathReadRequest,
): Promise<readonly CablePathForApi[]> {
  return readSelectedCablePaths(database, request, pathsThroughObjectSql);
}

/**
 * Reads the cable paths that an SQL query selects.
 *
 * @throws ApplicationError OBJECT_NOT_FOUND
 */
async function readSelectedCablePaths(
  database: ReadOnlyResponseDatabase,
  { model, id, grant }: CablePathReadRequest,
  selected: string,
): Promise<readonly CablePathForApi[]> {
  const parameters = new SqlParameters();
  parameters.add(model.type);
  parameters.add(id);
  const visible = grant.where === null ? '' : ` AND (${grant.where('t', parameters)})`;
  const statement = `SELECT (SELECT json_agg(json_build_array(p.id, p.is_active, p.is_complete, p.is_split, (
        SELECT json_agg(json_build_array(n.step, n.object_type, n.object_id) ORDER BY n.step, n.place)
        FROM dcim_cablepathnode n WHERE n.path_id = p.id)) ORDER BY s.ordinal)
      FROM (${selected}) s JOIN dcim_cablepath p ON p.id = s.path_id) AS paths
      FROM ${model.table} t WHERE t.id = $2::bigint AND $1::text IS NOT NULL${visible}`;
  const { rows } = await database.query<
    readonly [readonly (readonly [number, boolean, boolean, boolean, readonly StoredCablePathNode[]])[] | null]
  >(createPreparedQuery(statement, parameters.values));
  const [row] = rows;
  if (row === undefined) throw inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: model.objectName } });
  return (row[0] ?? []).map(([path, isActive, isComplete, isSplit, nodes]) => ({
    id: path,
    isActive,
    isComplete,
    isSplit,
    steps: groupPathNodesIntoSteps(nodes),
  }));
}

function groupPathNodesIntoSteps(nodes: readonly StoredCablePathNode[]): CablePathForApi['steps'] {
  const steps: { type: string; id: number }[][] = [];
  for (const [step, type, id] of nodes) {
    const objects = (steps[step] ??= []);
    objects.push({ type, id });
  }
  return Array.from(steps, (objects) => objects ?? []);
}
