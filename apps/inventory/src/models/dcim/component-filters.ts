import type { FilterSource } from '../../engine/filter/filter.js';
import { along, fieldAlong } from '../../engine/filter/path-filter.js';

/** Filters of a component by its device, and by where that is and what it is. */
export const byDevice: readonly FilterSource[] = [
  along('region', 'device.site.region'),
  along('site_group', 'device.site.group'),
  along('site', 'device.site'),
  along('location', 'device.location', { direct: true }),
  along('rack', 'device.rack', 'name'),
  along('device_type', 'device.device_type', 'model'),
  along('device_role', 'device.role', { direct: true }),
  along('virtual_chassis', 'device.virtual_chassis', 'name'),
  along('tenant', 'device.tenant'),
  fieldAlong('device_status', 'device', 'status'),
];
