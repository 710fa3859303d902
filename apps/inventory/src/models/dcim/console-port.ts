import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import * as common from '../field-groups.js';
import * as cabled from './cabled-fields.js';
import * as component from './component-fields.js';
import { byDevice } from './component-filters.js';
import { moduleOfDevice, staysWithDevice } from './component-rules.js';
import { consolePortSpeeds, consolePortTypes } from './console-port-types.js';

/** Where a device is reached by a console. */
export const consolePort = defineModel('dcim.consoleport', {
  path: 'dcim/console-ports',
  objectName: 'ConsolePort',
  verboseName: 'console port',
  verboseNamePlural: 'console ports',
  fields: {
    ...common.identity,
    device: component.device,
    module: component.module,
    name: component.name,
    label: component.label,
    type: choice(consolePortTypes, { nullable: true }),
    speed: choice(consolePortSpeeds, { numeric: true, nullable: true, filterSingle: true }),
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
    { name: 'dcim_consoleport_device_id_name_key', fields: ['device', 'name'] },
    cabled.notMarkedWhenCabled('dcim_consoleport'),
    moduleOfDevice,
  ],
  rules: [staysWithDevice],
  filters: [...byDevice, ...cabled.cabledFilters(), cabled.connectedFilter],
});
