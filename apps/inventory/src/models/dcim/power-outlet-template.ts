import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { ref } from '../../engine/kinds/relation.js';
import { color } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import { feedLegs, powerOutletTypes } from './power-outlet-types.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** A power outlet that devices or modules of a type have. */
export const powerOutletTemplate = defineModel('dcim.poweroutlettemplate', {
  path: 'dcim/power-outlet-templates',
  objectName: 'PowerOutletTemplate',
  verboseName: 'power outlet template',
  verboseNamePlural: 'power outlet templates',
  fields: {
    id,
    url,
    display,
    ...template.ofType,
    type: choice(powerOutletTypes, { nullable: true, filterSingle: true }),
    color: color({ blank: true }),
    power_port: ref('dcim.powerporttemplate', { nullable: true, onDelete: 'set_null', filterBy: null }),
    feed_leg: choice(feedLegs, { nullable: true }),
    description: common.description,
    ...common.times,
  },
  relatedTo: 'device_type', // DRAFT: or module_type
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
  search: common.searchIn('name', 'description'),
  constraints: [
    { name: 'dcim_poweroutlettemplate_device_type_id_name_key', fields: ['device_type', 'name'] },
    { name: 'dcim_poweroutlettemplate_module_type_id_name_key', fields: ['module_type', 'name'] },
    {
      name: 'dcim_poweroutlettemplate_parent_check',
      key: '__all__',
      message: 'A component template must be associated with either a device type or a module type.',
    },
  ],
  // DRAFT rules: belongs to exactly one of device type and module type; name unique per parent; immovable between device types; name and label may hold {module} and {vc_position[:default]} placeholders resolved on instantiation; power_port must be of the same parent
});
