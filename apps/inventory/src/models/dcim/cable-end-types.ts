import type { SqlText } from '../../engine/sql/json-text-sql.js';

const passThroughPortTypes = ['dcim.frontport', 'dcim.rearport'];
const cablePortEndTypes = [
  'dcim.consoleport',
  'dcim.consoleserverport',
  'dcim.interface',
  'circuits.circuittermination',
];

/**
 * Models of objects that a cable may connect with each other (docs/contract/inventory.md 3.3). For the model at one end
 * of the cable, lists the models allowed at the other end.
 */
export const compatibleCableEndTypes: Readonly<Record<string, readonly string[]>> = {
  'circuits.circuittermination': ['circuits.circuittermination', 'dcim.interface', ...passThroughPortTypes],
  'dcim.consoleport': ['dcim.consoleserverport', ...passThroughPortTypes],
  'dcim.consoleserverport': ['dcim.consoleport', ...passThroughPortTypes],
  'dcim.frontport': [...cablePortEndTypes, ...passThroughPortTypes],
  'dcim.interface': ['circuits.circuittermination', 'dcim.interface', ...passThroughPortTypes],
  'dcim.powerfeed': ['dcim.powerport'],
  'dcim.poweroutlet': ['dcim.powerport'],
  'dcim.powerport': ['dcim.poweroutlet', 'dcim.powerfeed'],
  'dcim.rearport': [...cablePortEndTypes, ...passThroughPortTypes],
};

/** Models of objects at which a cable can end. */
export const cableEndTypes: readonly string[] = Object.keys(compatibleCableEndTypes);

/** Models of device components at which a cable can end. */
export const deviceCableEndTypes: readonly string[] = cableEndTypes.filter(
  (type) => type.startsWith('dcim.') && type !== 'dcim.powerfeed',
);

/**
 * Returns the SQL expression of the display name of the object at one end of a cable. The object is given by its model
 * and id.
 */
export function createCableEndNameSql(type: SqlText, id: SqlText): SqlText {
  const components = deviceCableEndTypes.map(
    (one) =>
      `WHEN '${one}' THEN (SELECT concat(c.name, ' (' || nullif(c.label, '') || ')') FROM ${one.replace('.', '_')} c WHERE c.id = ${id})`,
  );
  return `CASE ${type} ${components.join(' ')}
    WHEN 'dcim.powerfeed' THEN (SELECT f.name FROM dcim_powerfeed f WHERE f.id = ${id})
    WHEN 'circuits.circuittermination' THEN (SELECT concat(c.cid, ': Termination ', e.term_side)
      FROM circuits_circuittermination e JOIN circuits_circuit c ON c.id = e.circuit_id WHERE e.id = ${id}) END`;
}
