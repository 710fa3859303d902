import type { Tx } from '@switchboard/database';
import { createPreparedQuery } from '../engine/sql/parameterized-statement.js';
import type { SqlText } from '../engine/sql/json-text-sql.js';
import { CableGraph, type CableGraphRows, formatObjectTypeAndId, type ObjectTypeAndId } from './cable-graph.js';
import { passThroughModelListSql, createReachableObjectsSql } from './reachable-objects-sql.js';

/**
 * Objects whose cable paths a change of cables can affect. The objects are found by following links from the changed
 * objects.
 */
export interface ObjectsAffectedByCableChange {
  /** Reachable endpoints (such as interfaces) that have a link or a stored cable path. */
  readonly origins: readonly ObjectTypeAndId[];
  /** Ports and circuit terminations through which the affected cable paths lead. */
  readonly passThrough: readonly ObjectTypeAndId[];
  /** Objects that the changed cables connect. */
  readonly cableEnds: readonly ObjectTypeAndId[];
}

/**
 * SQL table expression with the columns `type` and `id` for a list of objects. The statement's parameters contain the
 * types (`$1`) and the ids (`$2`).
 */
const requestedObjectsSql = `unnest($1::text[], $2::bigint[]) AS t (type, id)`;

/** SQL query that returns the objects that the given cables connect. */
const connectedObjectsSql = `SELECT e.termination_type::text AS type, e.termination_id AS id FROM ${requestedObjectsSql}
  JOIN dcim_cabletermination e ON e.cable_id = t.id WHERE t.type = 'dcim.cable'`;

/**
 * SQL query that returns the objects at which the search for affected endpoints starts. Cables and wireless links are
 * replaced by the objects at their ends.
 */
const pathStartObjectsSql = `SELECT t.type, t.id FROM ${requestedObjectsSql} WHERE t.type NOT IN ('dcim.cable', 'wireless.wirelesslink')
  UNION SELECT c.type, c.id FROM cable_ends c
  UNION SELECT 'dcim.interface', i.id FROM ${requestedObjectsSql} JOIN wireless_wirelesslink l ON l.id = t.id,
    unnest(ARRAY[l.interface_a_id, l.interface_b_id]) AS i (id) WHERE t.type = 'wireless.wirelesslink'`;

/**
 * SQL query that returns the origins of branching stored cable paths that contain an object in `objects`. A branching
 * path has several objects at one step. The path can use port positions that {@link createReachableObjectsSql} does not
 * follow.
 */
const branchingPathOriginsSql = `SELECT f.object_type::text, f.object_id, false FROM objects o, LATERAL (
    SELECT n.path_id FROM dcim_cablepathnode n WHERE n.object_type = o.type AND n.object_id = o.id
      AND EXISTS (SELECT FROM dcim_cablepathnode s WHERE s.path_id = n.path_id AND s.place > 0 AND NOT s.is_origin OFFSET 0)
    OFFSET 0) p, LATERAL (SELECT n.object_type, n.object_id FROM dcim_cablepathnode n WHERE n.path_id = p.path_id AND n.step = 0 OFFSET 0) f`;

/**
 * SQL query that returns {@link ObjectsAffectedByCableChange}. `OFFSET 0` makes PostgreSQL look up each condition in an index for
 * one object at a time. Otherwise PostgreSQL could read a whole table, and join the ends of many cables in quadratic
 * time.
 */
const selectReachableObjectsSql = `WITH RECURSIVE cable_ends AS MATERIALIZED (${connectedObjectsSql}), seeds AS (${pathStartObjectsSql}),
    ${createReachableObjectsSql('reached', `SELECT s.type::text, s.id, way, '{}'::int[] FROM seeds s, (VALUES ('link'), ('inside')) AS v (way)`)},
    objects AS (SELECT DISTINCT type, id FROM reached WHERE type <> 'dcim.cable')
  SELECT type, id, true FROM cable_ends UNION ALL ${branchingPathOriginsSql} UNION ALL SELECT o.type, o.id, false FROM objects o
  WHERE o.type IN (${passThroughModelListSql})
    OR EXISTS (SELECT FROM dcim_cabletermination e WHERE e.termination_type = o.type AND e.termination_id = o.id OFFSET 0)
    OR EXISTS (SELECT FROM dcim_cablepathnode p WHERE p.object_type = o.type AND p.object_id = o.id AND p.is_origin OFFSET 0)
    OR (o.type = 'dcim.interface'
      AND EXISTS (SELECT FROM dcim_interface i WHERE i.id = o.id AND i.wireless_link_id IS NOT NULL OFFSET 0))`;

/** Maximum number of objects from which one SQL statement follows links. */
const maxObjectsPerSqlStatement = 5_000;

/** Divides a list of objects into lists of at most `length` objects. */
export function* splitObjectsIntoChunks(
  objects: readonly ObjectTypeAndId[],
  length: number,
): Generator<readonly ObjectTypeAndId[]> {
  for (let from = 0; from < objects.length; from += length) yield objects.slice(from, from + length);
}

/**
 * Finds the endpoints whose cable paths may contain changed objects. Runs one SQL statement for each chunk of objects.
 */
export async function findObjectsAffectedByChange(
  tx: Tx,
  changed: readonly ObjectTypeAndId[],
): Promise<ObjectsAffectedByCableChange> {
  const found = {
    origins: createObjectByKeyMap(),
    passThrough: createObjectByKeyMap(),
    cableEnds: createObjectByKeyMap(),
  };
  for (const slice of splitObjectsIntoChunks(changed, maxObjectsPerSqlStatement)) {
    const { rows } = await tx.query<readonly [string, number, boolean]>(
      createPreparedQuery(selectReachableObjectsSql, splitIntoTypesAndIds(slice)),
    );
    for (const [type, id, isCableEnd] of rows) {
      const key = formatObjectTypeAndId({ type, id });
      (passThroughModelListSql.includes(`'${type}'`) ? found.passThrough : found.origins).set(key, { type, id });
      if (isCableEnd) found.cableEnds.set(key, { type, id });
    }
  }
  const { origins, passThrough, cableEnds } = found;
  return {
    origins: [...origins.values()],
    passThrough: [...passThrough.values()],
    cableEnds: [...cableEnds.values()],
  };
}

function createObjectByKeyMap(): Map<string, ObjectTypeAndId> {
  return new Map();
}

/**
 * Returns an SQL subquery that runs the lateral query `lateral` for each object and returns all resulting rows as one
 * JSON array.
 */
function createJsonRowsSubquerySql(columns: string, lateral: string, from = 'objects'): string {
  return `(SELECT coalesce(json_agg(json_build_object(${columns})), '[]') FROM ${from} o, LATERAL (${lateral} OFFSET 0) r)`;
}

function createCableGraphSql(mostPositions: 0 | 1): SqlText {
  return `WITH RECURSIVE ${createReachableObjectsSql('reached', `SELECT t.type, t.id, 'link', '{}'::int[] FROM ${requestedObjectsSql}`, mostPositions)},
    objects AS MATERIALIZED (SELECT DISTINCT type, id FROM reached WHERE type <> 'dcim.cable'),
    ends AS MATERIALIZED (SELECT r.* FROM objects o, LATERAL (SELECT e.* FROM dcim_cabletermination e
      WHERE e.termination_type = o.type AND e.termination_id = o.id OFFSET 0) r)
  SELECT json_build_object(
    'ends', (SELECT coalesce(json_agg(json_build_object('type', termination_type, 'id', termination_id, 'cable', cable_id, 'side', cable_end,
      'connector', connector, 'positions', positions, 'termination', id)), '[]') FROM ends),
    'cables', ${createJsonRowsSubquerySql(
      `'id', r.id, 'status', r.status, 'profile', r.profile`,
      'SELECT c.id, c.status, c.profile FROM dcim_cable c WHERE c.id = o.cable_id',
      '(SELECT DISTINCT cable_id FROM ends)',
    )},
    'wireless', ${createJsonRowsSubquerySql(
      `'interface', o.id, 'link', r.id, 'status', r.status, 'peer', r.peer`,
      `SELECT l.id, l.status, CASE o.id WHEN l.interface_a_id THEN l.interface_b_id ELSE l.interface_a_id END AS peer
        FROM dcim_interface i JOIN wireless_wirelesslink l ON l.id = i.wireless_link_id WHERE o.type = 'dcim.interface' AND i.id = o.id`,
    )},
    'ports', ${createJsonRowsSubquerySql(
      `'type', o.type, 'id', o.id, 'device', r.device_id, 'positions', r.positions`,
      `SELECT f.device_id, f.positions FROM dcim_frontport f WHERE o.type = 'dcim.frontport' AND f.id = o.id
        UNION ALL SELECT f.device_id, f.positions FROM dcim_rearport f WHERE o.type = 'dcim.rearport' AND f.id = o.id`,
    )},
    'mappings', ${createJsonRowsSubquerySql(
      `'frontPort', o.id, 'frontPosition', r.front_port_position, 'rearPort', r.rear_port_id, 'rearPosition', r.rear_port_position`,
      `SELECT m.* FROM dcim_portmapping m WHERE o.type = 'dcim.frontport' AND m.front_port_id = o.id`,
    )},
    'circuits', ${createJsonRowsSubquerySql(
      `'id', o.id, 'circuit', r.circuit_id, 'side', r.term_side, 'place', r.place`,
      `SELECT t.circuit_id, t.term_side, CASE WHEN t.termination_id IS NOT NULL
        THEN json_build_object('type', t.termination_type, 'id', t.termination_id) END AS place
        FROM circuits_circuittermination t WHERE o.type = 'circuits.circuittermination' AND t.id = o.id`,
    )},
    'passThrough', (SELECT coalesce(json_agg(json_build_object('type', o.type, 'id', o.id)), '[]') FROM objects o
      WHERE o.type IN (${passThroughModelListSql}) )) AS graph`;
}

const selectPartialGraphStatement = createCableGraphSql(1);
const selectWholeGraphStatement = createCableGraphSql(0);

/** Graph of all cables, ports and circuits that the cable paths of some endpoints can contain. */
export interface LoadedCableGraph {
  readonly graph: CableGraph;
  readonly passThrough: readonly ObjectTypeAndId[];
}

/**
 * Reads the graph of cables, ports and circuits that the cable paths of some endpoints can lead over, in one statement.
 *
 * @param scope `narrow` omits positions of ports that the SQL search cannot reach with the one port position that it
 * remembers; see {@link createReachableObjectsSql}
 */
export async function loadCableGraph(
  tx: Tx,
  origins: readonly ObjectTypeAndId[],
  scope: 'narrow' | 'whole',
): Promise<LoadedCableGraph> {
  const { rows } = await tx.query<readonly [CableGraphRows & { readonly passThrough: readonly ObjectTypeAndId[] }]>(
    createPreparedQuery(
      scope === 'narrow' ? selectPartialGraphStatement : selectWholeGraphStatement,
      splitIntoTypesAndIds(origins),
    ),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An aggregate without groups returns one row.');
  const [{ passThrough, ...graph }] = row;
  return { graph: new CableGraph(graph), passThrough };
}

/** Returns two lists for SQL parameters: the types of the given objects, and the ids of the objects. */
export function splitIntoTypesAndIds(objects: readonly ObjectTypeAndId[]): [string[], number[]] {
  return [objects.map(({ type }) => type), objects.map(({ id }) => id)];
}
