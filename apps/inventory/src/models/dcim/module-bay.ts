import { defineModel } from '../../engine/declaration/model.js';
import { along } from '../../engine/filter/path-filter.js';
import { boolean } from '../../engine/kinds/boolean.js';
import { computed } from '../../engine/kinds/computed.js';
import { text } from '../../engine/kinds/text.js';
import { sql } from '../../engine/sql/pieces.js';
import * as common from '../field-groups.js';
import * as component from './component-fields.js';

/** Where a module goes into a device, or into another module. */
export const moduleBay = defineModel('dcim.modulebay', {
  path: 'dcim/module-bays',
  objectName: 'ModuleBay',
  verboseName: 'module bay',
  verboseNamePlural: 'module bays',
  fields: {
    ...common.identity,
    device: component.device,
    module: component.module,
    name: component.name,
    label: component.label,
    position: text({ max: 30 }),
    enabled: boolean({ default: true }),
    description: common.description,
    // DRAFT field: installed_module (the one module whose module_bay points here; writable)
    owner: common.owner,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    _occupied: computed({
      json: ({ alias }) => [sql(`(EXISTS (SELECT FROM dcim_module m WHERE m.module_bay_id = ${alias}.id))::text`)],
      schema: { type: 'boolean' },
      metadataType: 'boolean',
    }),
  },
  relatedTo: 'device',
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  // DRAFT brief: and installed_module
  brief: ['id', 'url', 'display', 'name', 'enabled', 'description', '_occupied'],
  // DRAFT nested: and installed_module
  nested: ['id', 'url', 'display', 'name', 'enabled', 'description', '_occupied'],
  order: [{ field: 'device' }, { field: 'name' }],
  search: common.searchIn('name', 'label', 'description'),
  constraints: [{ name: 'dcim_modulebay_device_id_module_id_name_key', fields: ['device', 'module', 'name'] }],
  // DRAFT rules: name unique per device and module; parent derived from module; cannot contain itself; disabled bay refuses new modules
  // DRAFT filters: location_id (object_multi, n): path _location
  // DRAFT filters: location (object_multi, n): path _location.slug
  // DRAFT filters: device_role_id (object_multi, n): path device.role
  // DRAFT filters: device_role (object_multi, n): path device.role.slug
  // DRAFT filters: device_status (choice, n ic nic iew niew isw nisw ie nie empty regex iregex): path device.status
  // DRAFT filters: parent_id (object_multi, n)
  // DRAFT filters: installed_module_id (object_multi, n): path installed_module
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
