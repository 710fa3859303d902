import type { ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { referencePathFilters, relatedFieldFilter } from '../../engine/filter/path-filter.js';

/** Filters of components by properties of the component's device, such as the device's location or role. */
export const deviceFiltersOfComponents: readonly ModelFilterFactory[] = [
  referencePathFilters('region', 'device.site.region'),
  referencePathFilters('site_group', 'device.site.group'),
  referencePathFilters('site', 'device.site'),
  referencePathFilters('location', 'device.location', { direct: true }),
  referencePathFilters('rack', 'device.rack', 'name'),
  referencePathFilters('device_type', 'device.device_type', 'model'),
  referencePathFilters('device_role', 'device.role', { direct: true }),
  referencePathFilters('virtual_chassis', 'device.virtual_chassis', 'name'),
  referencePathFilters('tenant', 'device.tenant'),
  relatedFieldFilter('device_status', 'device', 'status'),
];
