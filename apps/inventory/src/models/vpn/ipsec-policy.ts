import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import * as common from '../shared-model-fields.js';
import { diffieHellmanGroups } from './ipsec-algorithm-choices.js';

/** Model of an IPSec policy: parameters for the protection of VPN traffic. */
export const ipsecPolicyModel = defineModel('vpn.ipsecpolicy', {
  path: 'vpn/ipsec-policies',
  objectName: 'IPSecPolicy',
  verboseName: 'IPSec policy',
  verboseNamePlural: 'IPSec policies',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    proposals: manyToManyField('vpn.ipsecproposal', {
      join: { table: 'vpn_ipsecpolicy_proposals', own: 'ipsecpolicy_id', other: 'ipsecproposal_id' },
      filter: { name: 'ipsec_proposal', by: 'name' },
    }),
    pfs_group: choiceField(diffieHellmanGroups, { numeric: true, nullable: true }),
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
  constraints: [{ name: 'vpn_ipsecpolicy_name_key', fields: ['name'] }],
});
