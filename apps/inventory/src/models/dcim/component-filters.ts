import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { pathFilters, relatedFieldFilter } from '../../engine/filter/path-filter.js';

/** Filters of components by properties of the component's device, such as the device's location or role. */
export const deviceFiltersOfComponents: readonly CreateFilters[] = [
  pathFilters('region', 'device.site.region'),
  pathFilters('site_group', 'device.site.group'),
  pathFilters('site', 'device.site'),
  pathFilters('location', 'device.location', { direct: true }),
  pathFilters('rack', 'device.rack', 'name'),
  pathFilters('device_type', 'device.device_type', 'model'),
  pathFilters('device_role', 'device.role', { direct: true }),
  pathFilters('virtual_chassis', 'device.virtual_chassis', 'name'),
  pathFilters('tenant', 'device.tenant'),
  relatedFieldFilter('device_status', 'device', 'status'),
];
