import type { ModelConstraint } from '../../engine/declaration/define-model.js';

/**
 * Database constraints on the names of devices, which apply when devices move to another site because their location
 * moves.
 */
export const movedDeviceConstraints: readonly ModelConstraint[] = [
  'dcim_device_unique_name_site',
  'dcim_device_unique_name_site_tenant',
].map((name) => ({ name, key: 'site', message: 'Device name must be unique per site.' }));
