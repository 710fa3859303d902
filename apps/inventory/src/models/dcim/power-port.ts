import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import * as common from '../field-groups.js';
import * as cabled from './cabled-fields.js';
import * as component from './component-fields.js';
import { byDevice } from './component-filters.js';
import { moduleOfDevice, staysWithDevice } from './component-rules.js';
import * as power from './power-fields.js';
import { powerPortTypes } from './power-port-types.js';

/** Where a device takes its power. */
export const powerPort = defineModel('dcim.powerport', {
  path: 'dcim/power-ports',
  objectName: 'PowerPort',
  verboseName: 'power port',
  verboseNamePlural: 'power ports',
  fields: {
    ...common.identity,
    device: component.device,
    module: component.module,
    name: component.name,
    label: component.label,
    type: choice(powerPortTypes, { nullable: true }),
    ...power.drawFields,
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
    { name: 'dcim_powerport_device_id_name_key', fields: ['device', 'name'] },
    cabled.notMarkedWhenCabled('dcim_powerport'),
    moduleOfDevice,
  ],
  rules: [staysWithDevice, power.drawsWithinMaximum],
  filters: [...byDevice, ...cabled.cabledFilters(), cabled.connectedFilter],
});
