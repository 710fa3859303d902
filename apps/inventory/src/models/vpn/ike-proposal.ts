import { defineModel } from '../../engine/declaration/model.js';
import { viaPath } from '../../engine/filter/path-filter.js';
import { referringObjectsOf } from '../../engine/filter/reference-path.js';
import { choice } from '../../engine/field-types/choice.js';
import { integer } from '../../engine/field-types/number.js';
import * as common from '../field-groups.js';
import { authenticationAlgorithms, diffieHellmanGroups, encryptionAlgorithms } from './algorithms.js';

const ikeProposalAuthenticationMethod = {
  'preshared-keys': 'Pre-shared keys',
  certificates: 'Certificates',
  'rsa-signatures': 'RSA signatures',
  'dsa-signatures': 'DSA signatures',
};

/** An IKE proposal: a set of algorithms for the key exchange between VPN peers. */
export const ikeProposal = defineModel('vpn.ikeproposal', {
  path: 'vpn/ike-proposals',
  objectName: 'IKEProposal',
  verboseName: 'IKE proposal',
  verboseNamePlural: 'IKE proposals',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    description: common.description,
    authentication_method: choice(ikeProposalAuthenticationMethod, { required: true }),
    encryption_algorithm: choice(encryptionAlgorithms, { required: true }),
    authentication_algorithm: choice(authenticationAlgorithms, { nullable: true }),
    group: choice(diffieHellmanGroups, { required: true, numeric: true }),
    sa_lifetime: integer({ nullable: true, min: 0, max: 2_147_483_647, label: 'SA lifetime' }),
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'description', 'comments'),
  filters: [viaPath('ike_policy', [referringObjectsOf('vpn.ikepolicy', 'proposals')], 'name')],
  constraints: [{ name: 'vpn_ikeproposal_name_key', fields: ['name'] }],
});
