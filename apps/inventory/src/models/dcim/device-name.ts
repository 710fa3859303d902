import type { Sql } from '../../engine/sql/pieces.js';

/**
 * What a device is called: its name; without one its place in a virtual chassis, or else its type. Its asset tag
 * follows, and its id where only the type is known.
 */
export function deviceName(alias: string): Sql {
  const name = `nullif(${alias}.name, '')`;
  const place = `(SELECT concat(c.name, ':', coalesce(${alias}.vc_position::text, 'None'))
    FROM dcim_virtualchassis c WHERE c.id = ${alias}.virtual_chassis_id)`;
  const type = `(SELECT concat(m.name, ' ', d.model) FROM dcim_devicetype d JOIN dcim_manufacturer m ON m.id = d.manufacturer_id
    WHERE d.id = ${alias}.device_type_id)`;
  const id = `CASE WHEN ${name} IS NULL AND ${alias}.virtual_chassis_id IS NULL THEN ${alias}.id::text END`;
  return `concat(coalesce(${name}, ${place}, ${type}), ' (' || coalesce(nullif(${alias}.asset_tag, ''), ${id}) || ')')`;
}
