import { defineModel } from '../../engine/declaration/define-model.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import {
  servicePortsField,
  serviceProtocolField,
  requireServiceProtocol,
  createServiceNameSql,
} from './service-fields.js';

/** Model of a service template: a template for services that many devices or virtual machines have. */
export const serviceTemplateModel = defineModel('ipam.servicetemplate', {
  path: 'ipam/service-templates',
  objectName: 'ServiceTemplate',
  verboseName: 'application service template',
  verboseNamePlural: 'application service templates',
  fields: {
    ...common.identityFields,
    name: textField({ max: 100, required: true }),
    protocol: serviceProtocolField,
    ports: servicePortsField,
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: createServiceNameSql,
  brief: ['id', 'url', 'display', 'name', 'protocol', 'ports', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [{ name: 'ipam_servicetemplate_name_key', fields: ['name'] }],
  rules: [requireServiceProtocol],
});
