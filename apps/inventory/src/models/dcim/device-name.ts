import type { SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * Returns the SQL expression of a device's display name. The display name is the device's name; without a name, the
 * position in a virtual chassis; without a chassis, the device type. The asset tag follows in parentheses. If the
 * display name comes from the device type and the device has no asset tag, the id follows instead.
 */
export function createDeviceNameSql(alias: string): SqlText {
  const name = `nullif(${alias}.name, '')`;
  const unnamed = `dcim_unnamed_device(${alias}.virtual_chassis_id, ${alias}.vc_position, ${alias}.device_type_id)`;
  const id = `CASE WHEN ${name} IS NULL AND ${alias}.virtual_chassis_id IS NULL THEN ${alias}.id::text END`;
  return `concat(coalesce(${name}, ${unnamed}), ' (' || coalesce(nullif(${alias}.asset_tag, ''), ${id}) || ')')`;
}
