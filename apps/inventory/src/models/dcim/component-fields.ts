import type { Problems } from '../../engine/declaration/model.js';
import { along, fieldAlong } from '../../engine/filter/path-filter.js';
import { display, displayUrl, id, url } from '../../engine/kinds/computed.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import type { Sql } from '../../engine/sql/pieces.js';

/** The device that has the component. */
export const device = ref('dcim.device', { required: true, onDelete: 'cascade', filterBy: 'name' });

/** Differs within the device. */
export const name = text({ max: 64, required: true });

/** What is written on it. */
export const label = text({ max: 64 });

/** What is shown of the bay of a module. */
export const bayShape = { id: id(), url: url(), display_url: displayUrl(), display: display(), name };

/** The module that brought the component. */
export const module = ref('dcim.module', {
  nullable: true,
  onDelete: 'cascade',
  filterBy: null,
  shape: {
    id: id(),
    url: url(),
    display: display(),
    device: ref('dcim.device'),
    module_bay: ref('dcim.modulebay', { shape: bayShape }),
  },
});

/** What a component or a template of one is called: its name, and what is written on it. */
export function componentName(alias: string): Sql {
  return `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`;
}

interface Component {
  readonly device?: number | null;
}

/** A component stays with its device. */
export function staysWithDevice(
  component: Component,
  { previous }: { readonly previous: Component | null },
): Problems | null {
  return previous !== null && previous.device !== component.device
    ? { device: ['Components cannot be moved to a different device.'] }
    : null;
}

/** By where the device of a component is, and what it is. */
export const deviceFilters = [
  along('region', 'device.site.region'),
  along('site_group', 'device.site.group'),
  along('site', 'device.site'),
  along('location', 'device.location', { direct: true }),
  along('rack', 'device.rack', 'name'),
  along('device_type', 'device.device_type', 'model'),
  along('device_role', 'device.role', { direct: true }),
  fieldAlong('device_status', 'device', 'status'),
  along('virtual_chassis', 'device.virtual_chassis', 'name'),
  along('tenant', 'device.tenant'),
];
