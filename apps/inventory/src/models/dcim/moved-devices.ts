import type { Constraint } from '../../engine/declaration/model.js';

/** Devices go to another site with what they stand in, where their names may be taken. */
export const movedDevices: readonly Constraint[] = [
  'dcim_device_unique_name_site',
  'dcim_device_unique_name_site_tenant',
].map((name) => ({ name, key: 'site', message: 'Device name must be unique per site.' }));
