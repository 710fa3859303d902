import { defineModel } from '../../engine/declaration/define-model.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { integerField } from '../../engine/field-types/number.js';
import * as common from '../shared-model-fields.js';
import { authenticationAlgorithms, diffieHellmanGroups, encryptionAlgorithms } from './ipsec-algorithm-choices.js';

const ikeProposalAuthenticationMethodChoices = {
  'preshared-keys': 'Pre-shared keys',
  certificates: 'Certificates',
  'rsa-signatures': 'RSA signatures',
  'dsa-signatures': 'DSA signatures',
};

/** Model of an IKE proposal: a set of algorithms for the key exchange between VPN peers. */
export const ikeProposalModel = defineModel('vpn.ikeproposal', {
  path: 'vpn/ike-proposals',
  objectName: 'IKEProposal',
  verboseName: 'IKE proposal',
  verboseNamePlural: 'IKE proposals',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    authentication_method: choiceField(ikeProposalAuthenticationMethodChoices, { required: true }),
    encryption_algorithm: choiceField(encryptionAlgorithms, { required: true }),
    authentication_algorithm: choiceField(authenticationAlgorithms, { nullable: true }),
    group: choiceField(diffieHellmanGroups, { required: true, numeric: true }),
    sa_lifetime: integerField({ nullable: true, min: 0, max: 2_147_483_647, label: 'SA lifetime' }),
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
  filters: [referencePathFilters('ike_policy', [resolveStepToReferringObjects('vpn.ikepolicy', 'proposals')], 'name')],
  constraints: [{ name: 'vpn_ikeproposal_name_key', fields: ['name'] }],
});
