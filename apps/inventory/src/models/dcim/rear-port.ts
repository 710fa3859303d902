import { defineModel } from '../../engine/declaration/model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { along } from '../../engine/filter/path-filter.js';
import { choice } from '../../engine/kinds/choice.js';
import { integer } from '../../engine/kinds/number.js';
import { color } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import * as cabled from './cabled-fields.js';
import * as component from './component-fields.js';
import { portTypes } from './port-types.js';

/** A port at the back of a patch panel, which leads to front ports. */
export const rearPort = defineModel('dcim.rearport', {
  path: 'dcim/rear-ports',
  objectName: 'RearPort',
  verboseName: 'rear port',
  verboseNamePlural: 'rear ports',
  fields: {
    ...common.identity,
    device: component.device,
    module: component.module,
    name: component.name,
    label: component.label,
    type: choice(portTypes, { required: true }),
    color: color({ blank: true }),
    positions: integer({ min: 1, max: 1024, default: 1 }),
    // DRAFT field: front_ports (list of RearPortMappingSerializer, from dcim.portmapping.rear_port)
    description: common.description,
    ...cabled.cableFields,
    // DRAFT field: link_peers (computed); link_peers_type (computed)
    owner: common.owner,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    _occupied: cabled.occupied,
  },
  relatedTo: 'device',
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'device', 'name', 'description', 'cable', '_occupied'],
  order: [{ field: 'device' }, { field: 'name' }],
  search: common.searchIn('name', 'label', 'description'),
  constraints: [{ name: 'dcim_rearport_device_id_name_key', fields: ['device', 'name'] }],
  // DRAFT rules: component; front_ports mappings, same rules
  // DRAFT filters: cable_connector (integer, n lte lt gte gt empty)
  // DRAFT filters: location_id (object_multi, n): path _location
  // DRAFT filters: location (object_multi, n): path _location.slug
  // DRAFT filters: device_role_id (object_multi, n): path device.role
  // DRAFT filters: device_role (object_multi, n): path device.role.slug
  // DRAFT filters: device_status (choice, n ic nic iew niew isw nisw ie nie empty regex iregex): path device.status
  // DRAFT filters: front_port_id (object_multi, n): path mappings.front_port
  filters: [
    along('region', 'device.site.region'),
    along('site_group', 'device.site.group'),
    along('site', 'device.site'),
    along('rack', 'device.rack', 'name'),
    along('device_type', 'device.device_type', 'model'),
    along('virtual_chassis', 'device.virtual_chassis', 'name'),
    along('tenant', 'device.tenant'),
    booleanFilter('cabled', (alias) => `(${alias}.cable_id IS NOT NULL)`),
    booleanFilter('occupied', (alias) => `(${alias}.mark_connected OR ${alias}.cable_id IS NOT NULL)`),
  ],
});
