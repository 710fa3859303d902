import { defineModel } from '../../engine/declaration/model.js';
import { boolean } from '../../engine/kinds/boolean.js';
import { choice } from '../../engine/kinds/choice.js';
import { ref } from '../../engine/kinds/relation.js';
import * as common from '../field-groups.js';
import { poeModes, poeTypes, wirelessRoles } from './interface-choices.js';
import { interfaceTypes } from './interface-types.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** An interface that devices or modules of a type have. */
export const interfaceTemplate = defineModel('dcim.interfacetemplate', {
  path: 'dcim/interface-templates',
  objectName: 'InterfaceTemplate',
  verboseName: 'interface template',
  verboseNamePlural: 'interface templates',
  fields: {
    id,
    url,
    display,
    ...template.ofType,
    type: choice(interfaceTypes, { required: true }),
    enabled: boolean({ default: true }),
    mgmt_only: boolean({ label: 'management only' }),
    description: common.description,
    bridge: ref('dcim.interfacetemplate', { nullable: true, onDelete: 'set_null', filterBy: null }),
    poe_mode: choice(poeModes, { nullable: true }),
    poe_type: choice(poeTypes, { nullable: true }),
    rf_role: choice(wirelessRoles, { nullable: true }),
    ...common.times,
  },
  relatedTo: 'device_type', // DRAFT: or module_type
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
  search: common.searchIn('name', 'description'),
  constraints: [
    { name: 'dcim_interfacetemplate_device_type_id_name_key', fields: ['device_type', 'name'] },
    { name: 'dcim_interfacetemplate_module_type_id_name_key', fields: ['module_type', 'name'] },
    {
      name: 'dcim_interfacetemplate_parent_check',
      key: '__all__',
      message: 'A component template must be associated with either a device type or a module type.',
    },
  ],
  // DRAFT rules: belongs to exactly one of device type and module type; name unique per parent; immovable between device types; name and label may hold {module} and {vc_position[:default]} placeholders resolved on instantiation; bridge must be of the same parent; PoE and radio rules as interfaces
});
