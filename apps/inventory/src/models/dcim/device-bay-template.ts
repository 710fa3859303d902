import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import * as common from '../shared-model-fields.js';
import * as template from './component-template-fields.js';

const { id, url, display } = common.identityFields;

/** Model of a device bay template, which belongs to a device type. */
export const deviceBayTemplateModel = defineModel('dcim.devicebaytemplate', {
  path: 'dcim/device-bay-templates',
  objectName: 'DeviceBayTemplate',
  verboseName: 'device bay template',
  verboseNamePlural: 'device bay templates',
  fields: {
    id,
    url,
    display,
    device_type: template.componentTemplateDeviceTypeField,
    name: template.componentTemplateNameField,
    label: template.componentTemplateLabelField,
    enabled: booleanField({ default: true }),
    description: common.descriptionField,
    ...common.creationTimeFields,
  },
  ...template.deviceTemplateModelOptions,
  brief: ['id', 'url', 'display', 'name', 'enabled', 'description'],
  order: [{ field: 'device_type' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [
    { name: 'dcim_devicebaytemplate_device_type_id_name_key', fields: ['device_type', 'name'] },
    { name: 'dcim_devicebaytemplate_parent_type', key: '__all__' },
  ],
  rules: [template.checkTemplateTypeUnchanged],
});
