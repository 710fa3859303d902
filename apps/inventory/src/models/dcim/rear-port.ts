import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { integer } from '../../engine/kinds/number.js';
import { color } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import * as cabled from './cabled-fields.js';
import * as component from './component-fields.js';
import { byDevice } from './component-filters.js';
import { moduleOfDevice, staysWithDevice } from './component-rules.js';
import { mappedPorts, mappingConstraints } from './port-mappings.js';
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
    front_ports: mappedPorts('dcim_portmapping', 'rear_port', 'dcim.frontport'),
    description: common.description,
    ...cabled.cableFields,
    ...cabled.linkPeerFields(),
    owner: common.owner,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
    _occupied: cabled.occupied,
  },
  relatedTo: 'device',
  display: component.componentName,
  brief: ['id', 'url', 'display', 'device', 'name', 'description', 'cable', '_occupied'],
  order: [{ field: 'device' }, { field: 'name' }],
  search: common.searchIn('name', 'label', 'description'),
  constraints: [
    { name: 'dcim_rearport_device_id_name_key', fields: ['device', 'name'] },
    cabled.notMarkedWhenCabled('dcim_rearport'),
    moduleOfDevice,
    ...mappingConstraints('dcim_portmapping', 'dcim_rearport', 'front_ports'),
  ],
  rules: [staysWithDevice],
  filters: [...byDevice, ...cabled.cabledFilters()],
});
