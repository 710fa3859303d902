import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { encryptedTextField } from '../../engine/field-types/secret-field.js';
import * as common from '../shared-model-fields.js';

/** Model of an IKE policy: parameters of the key exchange between VPN peers. */
export const ikePolicyModel = defineModel('vpn.ikepolicy', {
  path: 'vpn/ike-policies',
  objectName: 'IKEPolicy',
  verboseName: 'IKE policy',
  verboseNamePlural: 'IKE policies',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    version: choiceField({ 1: 'IKEv1', 2: 'IKEv2' }, { required: true, numeric: true, default: 2 }),
    mode: choiceField({ aggressive: 'Aggressive', main: 'Main' }, { nullable: true }),
    proposals: manyToManyField('vpn.ikeproposal', {
      join: { table: 'vpn_ikepolicy_proposals', own: 'ikepolicy_id', other: 'ikeproposal_id' },
      filter: { name: 'ike_proposal', by: 'name' },
    }),
    preshared_key: encryptedTextField({ label: 'pre-shared key' }),
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [{ name: 'vpn_ikepolicy_name_key', fields: ['name'] }],
  rules: [
    ({ version, mode }) => {
      const has = mode !== null && mode !== undefined;
      if (version === 1 && !has) return { __all__: ['Mode is required for selected IKE version'] };
      return version === 2 && has ? { __all__: ['Mode cannot be used for selected IKE version'] } : null;
    },
  ],
});
