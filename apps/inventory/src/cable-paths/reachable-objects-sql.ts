import type { SqlText } from '../engine/sql/json-text-sql.js';

/** SQL list of the models of objects in the middle of cable paths, such as front ports. */
export const passThroughModelListSql: SqlText = `'dcim.frontport', 'dcim.rearport', 'circuits.circuittermination'`;

/**
 * Maximum number of port positions that the SQL search for reachable objects remembers. In more deeply nested panels,
 * all positions are followed. With a higher maximum, a circular connection could multiply the rows in each round. With
 * 0, the search follows all positions of all panels.
 */
type MaxRememberedPortPositions = 0 | 1;

/**
 * Returns a recursive common table expression that follows cables, ports and circuits from object to object. Each row
 * of `name` is an object with the columns `type`, `id`, `way` and `stack`. The column `way` is the side on which to
 * leave the object: `link` (over the cable) or `inside` (through the panel or circuit). The column `stack` contains the
 * remembered port positions. Cables also have rows. The `way` of a cable is the side at which the search entered the
 * cable. The ends of one side therefore do not lead to one another. The result contains all objects that path tracing
 * could reach, and possibly more. An exception is a path that reaches several ports in one hop, some with several
 * positions. Such a path needs a search with `mostPositions` 0.
 *
 * @param start statement that returns the first rows
 */
export function createReachableObjectsSql(
  name: string,
  start: SqlText,
  mostPositions: MaxRememberedPortPositions = 1,
): SqlText {
  return `${name} (type, id, way, stack) AS (${start} UNION SELECT n.* FROM ${name} w, LATERAL (${createAllPathStepsSql(mostPositions)}) n)`;
}

/**
 * SQL condition that the profile of the cable `c` connects equal positions, so that remembered positions remain valid.
 * The condition is false for cables with several ends on one side. The search follows all positions of such cables.
 */
const connectsEqualPositionsCondition: SqlText = `((c.profile IS NULL OR c.profile LIKE 'single-%' OR (c.profile LIKE 'trunk-%' AND c.profile NOT LIKE '%-shuffle'))
    AND NOT EXISTS (SELECT FROM dcim_cabletermination side
      WHERE side.cable_id = far.cable_id AND side.cable_end = far.cable_end AND side.id <> far.id))`;

const selectCablesOfObjectsSql: SqlText = `SELECT 'dcim.cable', near.cable_id, near.cable_end::text, w.stack FROM dcim_cabletermination near
  WHERE w.way = 'link' AND near.termination_type = w.type AND near.termination_id = w.id`;

/**
 * SQL query that returns the objects to which a cable leads. These are the objects at the other side, and the endpoints
 * at the entered side, which share a path.
 */
const selectFarCableEndsSql: SqlText = `SELECT far.termination_type::text, far.termination_id,
    'inside', CASE WHEN ${connectsEqualPositionsCondition} THEN w.stack ELSE '{}'::int[] END
  FROM dcim_cable c JOIN dcim_cabletermination far ON far.cable_id = c.id
  WHERE w.type = 'dcim.cable' AND c.id = w.id AND (far.cable_end <> w.way OR far.termination_type NOT IN (${passThroughModelListSql}))`;

const selectFarWirelessInterfacesSql: SqlText = `SELECT 'dcim.interface', CASE w.id WHEN l.interface_a_id THEN l.interface_b_id ELSE l.interface_a_id END, 'inside', '{}'::int[]
  FROM dcim_interface i JOIN wireless_wirelesslink l ON l.id = i.wireless_link_id
  WHERE w.way = 'link' AND w.type = 'dcim.interface' AND i.id = w.id`;

/**
 * Returns the SQL query that selects the ports on one side of a panel that are connected to given ports on the other
 * side.
 */
function createSelectConnectedPortsSql(
  own: 'front' | 'rear',
  other: 'front' | 'rear',
  mostPositions: MaxRememberedPortPositions,
): SqlText {
  // The slice of an empty array is empty.
  const left = `CASE WHEN o.positions > 1 THEN w.stack[1:cardinality(w.stack) - 1] ELSE w.stack END`;
  return `SELECT 'dcim.${other}port', m.${other}_port_id, 'link', CASE WHEN f.positions = 1 THEN ${left}
      WHEN cardinality(w.stack) >= ${mostPositions} THEN '{}'::int[] ELSE ${left} || m.${other}_port_position::int END
    FROM dcim_${own}port o JOIN dcim_portmapping m ON m.${own}_port_id = o.id JOIN dcim_${other}port f ON f.id = m.${other}_port_id
    WHERE w.way = 'inside' AND w.type = 'dcim.${own}port' AND o.id = w.id
      AND (o.positions = 1 OR w.stack = '{}' OR m.${own}_port_position = w.stack[cardinality(w.stack)])`;
}

const selectOppositeCircuitTerminationsSql: SqlText = `SELECT 'circuits.circuittermination', o.id, 'link', w.stack
  FROM circuits_circuittermination t JOIN circuits_circuittermination o ON o.circuit_id = t.circuit_id AND o.id <> t.id
  WHERE w.way = 'inside' AND w.type = 'circuits.circuittermination' AND t.id = w.id`;

function createAllPathStepsSql(mostPositions: MaxRememberedPortPositions): SqlText {
  return [
    selectCablesOfObjectsSql,
    selectFarCableEndsSql,
    selectFarWirelessInterfacesSql,
    createSelectConnectedPortsSql('front', 'rear', mostPositions),
    createSelectConnectedPortsSql('rear', 'front', mostPositions),
    selectOppositeCircuitTerminationsSql,
  ].join(' UNION ALL ');
}
