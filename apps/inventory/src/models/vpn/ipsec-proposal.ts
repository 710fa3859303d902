import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { integerField } from '../../engine/field-types/number.js';
import * as common from '../shared-model-fields.js';
import { authenticationAlgorithms, encryptionAlgorithms } from './ipsec-algorithm-choices.js';

/** Model of an IPSec proposal: a set of algorithms for the protection of VPN traffic. */
export const ipsecProposalModel = defineModel('vpn.ipsecproposal', {
  path: 'vpn/ipsec-proposals',
  objectName: 'IPSecProposal',
  verboseName: 'IPSec proposal',
  verboseNamePlural: 'IPSec proposals',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    encryption_algorithm: choiceField(encryptionAlgorithms, { nullable: true }),
    authentication_algorithm: choiceField(authenticationAlgorithms, { nullable: true }),
    sa_lifetime_seconds: integerField({ nullable: true, min: 0, max: 2_147_483_647, label: 'SA lifetime (seconds)' }),
    sa_lifetime_data: integerField({ nullable: true, min: 0, max: 2_147_483_647, label: 'SA lifetime (KB)' }),
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
  filters: [
    referencePathFilters('ipsec_policy', [resolveStepToReferringObjects('vpn.ipsecpolicy', 'proposals')], 'name'),
  ],
  constraints: [{ name: 'vpn_ipsecproposal_name_key', fields: ['name'] }],
  rules: [
    ({ encryption_algorithm: encryption, authentication_algorithm: authentication }) =>
      (encryption ?? authentication ?? null) === null
        ? { __all__: ['Encryption and/or authentication algorithm must be defined'] }
        : null,
  ],
});
