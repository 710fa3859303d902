import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { integer } from '../../engine/kinds/number.js';
import { color } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { portTypes } from './port-types.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** A rear port that devices or modules of a type have. */
export const rearPortTemplate = defineModel('dcim.rearporttemplate', {
  path: 'dcim/rear-port-templates',
  objectName: 'RearPortTemplate',
  verboseName: 'rear port template',
  verboseNamePlural: 'rear port templates',
  fields: {
    id,
    url,
    display,
    ...template.ofType,
    type: choice(portTypes, { required: true }),
    color: color({ blank: true }),
    positions: integer({ min: 1, max: 1024, default: 1 }),
    // DRAFT field: front_ports (list of RearPortTemplateMappingSerializer, from dcim.porttemplatemapping.rear_port)
    description: common.description,
    ...common.times,
  },
  relatedTo: 'device_type', // DRAFT: or module_type
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
  search: common.searchIn('name', 'description'),
  constraints: [
    { name: 'dcim_rearporttemplate_device_type_id_name_key', fields: ['device_type', 'name'] },
    { name: 'dcim_rearporttemplate_module_type_id_name_key', fields: ['module_type', 'name'] },
    {
      name: 'dcim_rearporttemplate_parent_check',
      key: '__all__',
      message: 'A component template must be associated with either a device type or a module type.',
    },
  ],
  // DRAFT rules: belongs to exactly one of device type and module type; name unique per parent; immovable between device types; name and label may hold {module} and {vc_position[:default]} placeholders resolved on instantiation; front_ports is the list of {position, front_port, front_port_position}
  // DRAFT filters: front_port_id (object_multi, n): path mappings.front_port
});
