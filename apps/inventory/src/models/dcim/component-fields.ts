import { display, displayUrl, id, url } from '../../engine/field-types/computed.js';
import { ref } from '../../engine/field-types/relation.js';
import { text } from '../../engine/field-types/text.js';
import type { Sql } from '../../engine/sql/pieces.js';

/** The device that has the component. */
export const device = ref('dcim.device', { required: true, onDelete: 'cascade', filterBy: 'name' });

/** The same, sorted by the name and id of the device, which triggers store with the component. */
export const sortedDevice = ref('dcim.device', {
  required: true,
  onDelete: 'cascade',
  filterBy: 'name',
  storedOrder: (alias) => [`${alias}._device_name`, `${alias}.device_id`],
});

/** Differs within the device. */
export const name = text({ max: 64, required: true });

/** Text printed on the component. */
export const label = text({ max: 64 });

/** Shape of the bay of a module. */
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

/** Returns the display name of a component or of its template: its name and its label. */
export function componentName(alias: string): Sql {
  return `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`;
}
