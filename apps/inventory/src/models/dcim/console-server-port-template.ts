import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import * as common from '../field-groups.js';
import { consolePortTypes } from './console-port-types.js';
import * as template from './template-fields.js';

const { id, url, display } = common.identity;

/** A console server port that devices or modules of a type have. */
export const consoleServerPortTemplate = defineModel('dcim.consoleserverporttemplate', {
  path: 'dcim/console-server-port-templates',
  objectName: 'ConsoleServerPortTemplate',
  verboseName: 'console server port template',
  verboseNamePlural: 'console server port templates',
  fields: {
    id,
    url,
    display,
    ...template.ofType,
    type: choice(consolePortTypes, { nullable: true, filterSingle: true }),
    description: common.description,
    ...common.times,
  },
  relatedTo: 'device_type', // DRAFT: or module_type
  display: (alias) => `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
  search: common.searchIn('name', 'description'),
  constraints: [
    { name: 'dcim_consoleserverporttemplate_device_type_id_name_key', fields: ['device_type', 'name'] },
    { name: 'dcim_consoleserverporttemplate_module_type_id_name_key', fields: ['module_type', 'name'] },
    {
      name: 'dcim_consoleserverporttemplate_parent_check',
      key: '__all__',
      message: 'A component template must be associated with either a device type or a module type.',
    },
  ],
  // DRAFT rules: belongs to exactly one of device type and module type; name unique per parent; immovable between device types; name and label may hold {module} and {vc_position[:default]} placeholders resolved on instantiation
});
