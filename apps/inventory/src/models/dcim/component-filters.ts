import type { FilterSource } from '../../engine/filter/filter.js';
import { viaPath, relatedFieldFilter } from '../../engine/filter/path-filter.js';

/** Filters of components by properties of their device, such as its location or role. */
export const deviceFiltersOfComponents: readonly FilterSource[] = [
  viaPath('region', 'device.site.region'),
  viaPath('site_group', 'device.site.group'),
  viaPath('site', 'device.site'),
  viaPath('location', 'device.location', { direct: true }),
  viaPath('rack', 'device.rack', 'name'),
  viaPath('device_type', 'device.device_type', 'model'),
  viaPath('device_role', 'device.role', { direct: true }),
  viaPath('virtual_chassis', 'device.virtual_chassis', 'name'),
  viaPath('tenant', 'device.tenant'),
  relatedFieldFilter('device_status', 'device', 'status'),
];
