import { defineModel } from '../../engine/declaration/model.js';
import { boolean } from '../../engine/kinds/boolean.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** A bay for modules that devices or modules of a type have. */
export const moduleBayTemplate = defineModel('dcim.modulebaytemplate', {
  path: 'dcim/module-bay-templates',
  objectName: 'ModuleBayTemplate',
  verboseName: 'module bay template',
  verboseNamePlural: 'module bay templates',
  fields: {
    id,
    url,
    display,
    ...template.ofType,
    position: text({ max: 30 }),
    enabled: boolean({ default: true }),
    description: common.description,
    ...common.times,
  },
  relatedTo: 'device_type', // DRAFT: or module_type
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'enabled', 'description'],
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
  search: common.searchIn('name', 'description'),
  constraints: [
    { name: 'dcim_modulebaytemplate_device_type_id_name_key', fields: ['device_type', 'name'] },
    { name: 'dcim_modulebaytemplate_module_type_id_name_key', fields: ['module_type', 'name'] },
    {
      name: 'dcim_modulebaytemplate_parent_check',
      key: '__all__',
      message: 'A component template must be associated with either a device type or a module type.',
    },
  ],
  // DRAFT rules: belongs to exactly one of device type and module type; name unique per parent; immovable between device types; name and label may hold {module} and {vc_position[:default]} placeholders resolved on instantiation
});
