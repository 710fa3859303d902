import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { ref } from '../../engine/kinds/relation.js';
import { color } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import * as cabled from './cabled-fields.js';
import * as component from './component-fields.js';
import { byDevice } from './component-filters.js';
import { moduleOfDevice, staysWithDevice } from './component-rules.js';
import { feedLegs, powerOutletTypes } from './power-outlet-types.js';

const powerOutletStatus = { enabled: 'Enabled', disabled: 'Disabled', faulty: 'Faulty' };

/** Where a device gives power to others. */
export const powerOutlet = defineModel('dcim.poweroutlet', {
  path: 'dcim/power-outlets',
  objectName: 'PowerOutlet',
  verboseName: 'power outlet',
  verboseNamePlural: 'power outlets',
  fields: {
    ...common.identity,
    device: component.device,
    module: component.module,
    name: component.name,
    label: component.label,
    type: choice(powerOutletTypes, { nullable: true }),
    status: choice(powerOutletStatus, { default: 'enabled' }),
    color: color({ blank: true }),
    power_port: ref('dcim.powerport', { nullable: true, onDelete: 'set_null', filterBy: null }),
    feed_leg: choice(feedLegs, { nullable: true }),
    description: common.description,
    ...cabled.cableFields,
    ...cabled.linkPeerFields(),
    ...cabled.connectedFields,
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
    { name: 'dcim_poweroutlet_device_id_name_key', fields: ['device', 'name'] },
    cabled.notMarkedWhenCabled('dcim_poweroutlet'),
    moduleOfDevice,
    { name: 'dcim_poweroutlet_power_port' },
  ],
  rules: [staysWithDevice],
  filters: [...byDevice, ...cabled.cabledFilters(), cabled.connectedFilter],
});
