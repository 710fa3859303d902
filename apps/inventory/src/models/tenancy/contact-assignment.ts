import { defineModel } from '../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { createGenericDisplayNameSql, genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';
import { getApiAppDisplayName } from '../app-names.js';
import { listModelsWithFeature } from '../features/feature-groups.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';
import { contactAndCircuitGroupPriorities } from '../contact-and-circuit-group-priorities.js';

const modelsWithContacts = listModelsWithFeature('contacts');

const contactAssignedObjectReference = { type: 'object_type', id: 'object_id', allowed: modelsWithContacts };

const createAssignedObjectNameSql = (alias: string, registry: ModelRegistry): SqlText =>
  createGenericDisplayNameSql(registry, modelsWithContacts, {
    alias,
    type: `${alias}.object_type`,
    id: `${alias}.object_id`,
  });

const { id, url, display } = common.identityFields;

/** Model of a contact assignment: the assignment of a contact to an object, with a role of the contact. */
export const contactAssignmentModel = defineModel('tenancy.contactassignment', {
  path: 'tenancy/contact-assignments',
  objectName: 'ContactAssignment',
  verboseName: 'contact assignment',
  verboseNamePlural: 'contact assignments',
  resetOnPut: ['priority'],
  fields: {
    id,
    url,
    display,
    object_type: objectTypeField(({ registry }) => registry.models.map(({ type }) => type), { required: true }),
    object_id: integerField({ required: true, min: 0 }),
    object: genericObjectField(contactAssignedObjectReference),
    contact: referenceField('tenancy.contact', { required: true, filterBy: null }),
    role: referenceField('tenancy.contactrole', { nullable: true }),
    priority: choiceField(contactAndCircuitGroupPriorities, { nullable: true, filterSingle: true }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  relatedTo: 'object',
  display: (alias, registry) =>
    `concat((SELECT c.name FROM tenancy_contact c WHERE c.id = ${alias}.contact_id), ' (' || initcap(${alias}.priority) || ')', ' -> ', ${createAssignedObjectNameSql(alias, registry)})`,
  brief: ['id', 'url', 'display', 'contact', 'role', 'priority'],
  order: [{ field: 'contact' }, { field: 'priority' }, { field: 'role' }],
  search: [
    common.createOtherTableSearchTerms('tenancy_contactassignment', 'contact_id', 'tenancy_contact', 'name'),
    common.createOtherTableSearchTerms('tenancy_contactassignment', 'role_id', 'tenancy_contactrole', 'name'),
  ],
  filters: [createModelIdFilter('object_type_id', { single: true }), referencePathFilters('group', 'contact.groups')],
  rules: [
    ({ object_type: type }, { registry }) =>
      modelsWithContacts.includes(type ?? '')
        ? null
        : {
            __all__: [
              `Contacts cannot be assigned to this object type (${formatModelTitleWithApp(type ?? '', registry)}).`,
            ],
          },
    // Required, although the body may omit it as in the reference API: the error message differs.
    ({ role }) => ((role ?? null) === null ? { role: ['This field cannot be null.'] } : null),
  ],
  constraints: [
    {
      name: 'tenancy_contactassignment_object_type_object_id_contact_id__key',
      fields: ['object_type', 'object_id', 'contact', 'role'],
    },
  ],
});

/** Returns the title of a model, preceded by the name of its app, as in `DCIM | cable`. */
function formatModelTitleWithApp(type: string, registry: ModelRegistry): string {
  const model = registry.find(type);
  return model === null ? type : `${getApiAppDisplayName(model.app)} | ${model.verboseName}`;
}
