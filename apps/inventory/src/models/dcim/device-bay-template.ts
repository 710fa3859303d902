import { defineModel } from '../../engine/declaration/model.js';
import { boolean } from '../../engine/kinds/boolean.js';
import { ref } from '../../engine/kinds/relation.js';
import * as common from '../field-groups.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** A bay for devices that devices of a type have. */
export const deviceBayTemplate = defineModel('dcim.devicebaytemplate', {
  path: 'dcim/device-bay-templates',
  objectName: 'DeviceBayTemplate',
  verboseName: 'device bay template',
  verboseNamePlural: 'device bay templates',
  fields: {
    id,
    url,
    display,
    device_type: ref('dcim.devicetype', { required: true, onDelete: 'cascade', filterBy: null }),
    name: template.name,
    label: template.label,
    enabled: boolean({ default: true }),
    description: common.description,
    ...common.times,
  },
  relatedTo: 'device_type',
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'enabled', 'description'],
  order: [{ field: 'device_type' }, { field: 'name' }],
  search: common.searchIn('name', 'description'),
  constraints: [{ name: 'dcim_devicebaytemplate_device_type_id_name_key', fields: ['device_type', 'name'] }],
  // DRAFT rules: only for device types whose subdevice_role is parent; name unique per device type
});
