import type { SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * Returns the SQL query for the ids of the interfaces of devices. If a device is the master of a virtual chassis, the
 * query includes the interfaces of all member devices, except their management interfaces. `ids` is an SQL array
 * expression of device ids.
 */
export function createDeviceInterfaceIdsSql(ids: SqlText): SqlText {
  return `SELECT own.id FROM dcim_interface own WHERE own.device_id = ANY (${ids})
    UNION ALL SELECT shared.id FROM dcim_virtualchassis chassis
      JOIN dcim_device peer ON peer.virtual_chassis_id = chassis.id
      JOIN dcim_interface shared ON shared.device_id = peer.id AND NOT shared.mgmt_only
      WHERE chassis.master_id = ANY (${ids})`;
}
