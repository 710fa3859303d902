import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import * as common from '../field-groups.js';
import * as power from './power-fields.js';
import { powerPortTypes } from './power-port-types.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** A power port that devices or modules of a type have. */
export const powerPortTemplate = defineModel('dcim.powerporttemplate', {
  path: 'dcim/power-port-templates',
  objectName: 'PowerPortTemplate',
  verboseName: 'power port template',
  verboseNamePlural: 'power port templates',
  fields: {
    id,
    url,
    display,
    ...template.ofType,
    type: choice(powerPortTypes, { nullable: true, filterSingle: true }),
    ...power.drawFields,
    description: common.description,
    ...common.times,
  },
  relatedTo: 'device_type', // DRAFT: or module_type
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
  search: common.searchIn('name', 'description'),
  constraints: [
    { name: 'dcim_powerporttemplate_device_type_id_name_key', fields: ['device_type', 'name'] },
    { name: 'dcim_powerporttemplate_module_type_id_name_key', fields: ['module_type', 'name'] },
    {
      name: 'dcim_powerporttemplate_parent_check',
      key: '__all__',
      message: 'A component template must be associated with either a device type or a module type.',
    },
    {
      name: 'dcim_powerporttemplate_draw_check',
      key: '__all__',
      message: 'Allocated draw cannot exceed the maximum draw.',
    },
  ],
  // DRAFT rules: belongs to exactly one of device type and module type; name unique per parent; immovable between device types; name and label may hold {module} and {vc_position[:default]} placeholders resolved on instantiation; allocated_draw must not exceed maximum_draw
});
