import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { integer } from '../../engine/kinds/number.js';
import { color } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { portTypes } from './port-types.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** A front port that devices or modules of a type have. */
export const frontPortTemplate = defineModel('dcim.frontporttemplate', {
  path: 'dcim/front-port-templates',
  objectName: 'FrontPortTemplate',
  verboseName: 'front port template',
  verboseNamePlural: 'front port templates',
  fields: {
    id,
    url,
    display,
    ...template.ofType,
    type: choice(portTypes, { required: true }),
    color: color({ blank: true }),
    positions: integer({ min: 1, max: 1024, default: 1 }),
    // DRAFT field: rear_ports (list of FrontPortTemplateMappingSerializer, from dcim.porttemplatemapping.front_port)
    description: common.description,
    ...common.times,
  },
  relatedTo: 'device_type', // DRAFT: or module_type
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
  search: common.searchIn('name', 'description'),
  constraints: [
    { name: 'dcim_frontporttemplate_device_type_id_name_key', fields: ['device_type', 'name'] },
    { name: 'dcim_frontporttemplate_module_type_id_name_key', fields: ['module_type', 'name'] },
    {
      name: 'dcim_frontporttemplate_parent_check',
      key: '__all__',
      message: 'A component template must be associated with either a device type or a module type.',
    },
  ],
  // DRAFT rules: belongs to exactly one of device type and module type; name unique per parent; immovable between device types; name and label may hold {module} and {vc_position[:default]} placeholders resolved on instantiation; rear_ports is the list of {position, rear_port, rear_port_position}; positions cannot drop below the mapping count
  // DRAFT filters: rear_port_id (object_multi, n): path mappings.rear_port
});
