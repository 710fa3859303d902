import { defineModel } from '../../engine/declaration/define-model.js';
import { datetimeFilter } from '../../engine/filter/number-filter.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField, reverseReferencesField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { createJsonValueFragment } from '../../engine/sql/json-text-sql.js';
import { changeRequestFilters } from '../../engine/filter/request-filters.js';
import { changeRecordEmptyCustomFields, changeRecordEmptyTags } from '../change-log-members.js';
import * as common from '../shared-model-fields.js';

const createVlanIdField = (label: string): ReturnType<typeof integerField> =>
  integerField({ required: true, min: 1, max: 4094, label });

/**
 * Filters of objects by the time of their creation, by the time of their last update, and by the request that created
 * or changed them. The filters belong to models whose responses do not show these times.
 */
const creationAndUpdateTimeFilters = [
  ...['created', 'last_updated'].map((name) => datetimeFilter(name, (alias) => `${alias}.${name}`)),
  changeRequestFilters('core.objectchange'),
];

const vlanTranslationPolicyReference = referenceField('ipam.vlantranslationpolicy', {
  required: true,
  onDelete: 'cascade',
  filterBy: 'name',
});

/**
 * Field with the VLAN translation policy of a rule. Responses show the id of the policy instead of the nested object
 * (docs/contract/inventory.md 1.4).
 */
const vlanTranslationPolicyIdField: typeof vlanTranslationPolicyReference = {
  ...vlanTranslationPolicyReference,
  json: (place) => [createJsonValueFragment(`${place.alias}.policy_id`)],
  schema: { read: () => ({ type: 'integer' }), write: vlanTranslationPolicyReference.schema.write },
  metadata: { type: 'field' },
};

const { id, url, display } = common.identityFields;

const vlanTranslationRuleFields = {
  id,
  url,
  display,
  policy: vlanTranslationPolicyIdField,
  local_vid: createVlanIdField('local VLAN ID'),
  remote_vid: createVlanIdField('remote VLAN ID'),
  description: common.descriptionField,
};

/** Model of a VLAN translation rule, which replaces one VLAN id with another. */
export const vlanTranslationRuleModel = defineModel('ipam.vlantranslationrule', {
  path: 'ipam/vlan-translation-rules',
  objectName: 'VLANTranslationRule',
  verboseName: 'VLAN translation rule',
  verboseNamePlural: 'VLAN translation rules',
  fields: vlanTranslationRuleFields,
  changeLogMembers: { ...changeRecordEmptyTags, ...changeRecordEmptyCustomFields },
  display: (alias) =>
    `concat(${alias}.local_vid, ' -> ', ${alias}.remote_vid, ' (', (SELECT p.name FROM ipam_vlantranslationpolicy p WHERE p.id = ${alias}.policy_id), ')')`,
  brief: ['id', 'url', 'display', 'policy', 'local_vid', 'remote_vid', 'description'],
  order: [{ field: 'policy' }, { field: 'local_vid' }],
  search: [
    {
      sql: (alias) => `(SELECT p.name FROM ipam_vlantranslationpolicy p WHERE p.id = ${alias}.policy_id)`,
      lookup: 'icontains',
    },
    { sql: (alias) => `${alias}.local_vid`, lookup: 'number' },
    { sql: (alias) => `${alias}.remote_vid`, lookup: 'number' },
  ],
  constraints: [
    { name: 'ipam_vlantranslationrule_policy_id_local_vid_key', fields: ['policy', 'local_vid'] },
    { name: 'ipam_vlantranslationrule_policy_id_remote_vid_key', fields: ['policy', 'remote_vid'] },
  ],
  filters: [...creationAndUpdateTimeFilters, common.tagFilters],
});

/** Model of a VLAN translation policy: a set of translation rules for interfaces. */
export const vlanTranslationPolicyModel = defineModel('ipam.vlantranslationpolicy', {
  path: 'ipam/vlan-translation-policies',
  objectName: 'VLANTranslationPolicy',
  verboseName: 'VLAN translation policy',
  verboseNamePlural: 'VLAN translation policies',
  fields: {
    id,
    url,
    display,
    name: textField({ max: 100, required: true }),
    description: common.descriptionField,
    rules: reverseReferencesField('ipam.vlantranslationrule', 'policy', vlanTranslationRuleFields),
    owner: common.ownerField,
    comments: common.commentsField,
  },
  changeLogMembers: { ...changeRecordEmptyTags, ...changeRecordEmptyCustomFields },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  constraints: [{ name: 'ipam_vlantranslationpolicy_name_key', fields: ['name'] }],
  filters: [...creationAndUpdateTimeFilters, common.tagFilters],
});
