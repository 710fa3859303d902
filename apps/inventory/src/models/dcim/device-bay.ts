import { defineModel } from '../../engine/declaration/model.js';
import { along } from '../../engine/filter/path-filter.js';
import { boolean } from '../../engine/kinds/boolean.js';
import { computed } from '../../engine/kinds/computed.js';
import { ref } from '../../engine/kinds/relation.js';
import { sql } from '../../engine/sql/pieces.js';
import * as common from '../field-groups.js';
import * as component from './component-fields.js';

/** Where a device goes into another one. */
export const deviceBay = defineModel('dcim.devicebay', {
  path: 'dcim/device-bays',
  objectName: 'DeviceBay',
  verboseName: 'device bay',
  verboseNamePlural: 'device bays',
  fields: {
    ...common.identity,
    device: component.device,
    name: component.name,
    label: component.label,
    enabled: boolean({ default: true }),
    description: common.description,
    installed_device: ref('dcim.device', { nullable: true, onDelete: 'set_null', filterBy: 'name' }),
    owner: common.owner,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    _occupied: computed({
      json: ({ alias }) => [sql(`((${alias}.installed_device_id IS NOT NULL))::text`)],
      schema: { type: 'boolean' },
      metadataType: 'boolean',
    }),
  },
  relatedTo: 'device',
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'device', 'name', 'enabled', 'description', '_occupied'],
  order: [{ field: 'device' }, { field: 'name' }],
  search: common.searchIn('name', 'label', 'description'),
  constraints: [
    { name: 'dcim_devicebay_installed_device_id_key', fields: ['installed_device'] },
    { name: 'dcim_devicebay_device_id_name_key', fields: ['device', 'name'] },
  ],
  // DRAFT rules: only on parent-type devices; installed_device may not be the device itself nor already installed elsewhere; a disabled bay refuses a new device; saving the parent device copies its site, rack and location to installed devices
  // DRAFT filters: location_id (object_multi, n): path _location
  // DRAFT filters: location (object_multi, n): path _location.slug
  // DRAFT filters: device_role_id (object_multi, n): path device.role
  // DRAFT filters: device_role (object_multi, n): path device.role.slug
  // DRAFT filters: device_status (choice, n ic nic iew niew isw nisw ie nie empty regex iregex): path device.status
  filters: [
    along('region', 'device.site.region'),
    along('site_group', 'device.site.group'),
    along('site', 'device.site'),
    along('rack', 'device.rack', 'name'),
    along('device_type', 'device.device_type', 'model'),
    along('virtual_chassis', 'device.virtual_chassis', 'name'),
    along('tenant', 'device.tenant'),
  ],
});
