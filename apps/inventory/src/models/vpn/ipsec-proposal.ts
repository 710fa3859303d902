import { defineModel } from '../../engine/declaration/model.js';
import { viaPath } from '../../engine/filter/path-filter.js';
import { referringObjectsOf } from '../../engine/filter/reference-path.js';
import { choice } from '../../engine/field-types/choice.js';
import { integer } from '../../engine/field-types/number.js';
import * as common from '../field-groups.js';
import { authenticationAlgorithms, encryptionAlgorithms } from './algorithms.js';

/** An IPSec proposal: a set of algorithms for the protection of VPN traffic. */
export const ipsecProposal = defineModel('vpn.ipsecproposal', {
  path: 'vpn/ipsec-proposals',
  objectName: 'IPSecProposal',
  verboseName: 'IPSec proposal',
  verboseNamePlural: 'IPSec proposals',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    description: common.description,
    encryption_algorithm: choice(encryptionAlgorithms, { nullable: true }),
    authentication_algorithm: choice(authenticationAlgorithms, { nullable: true }),
    sa_lifetime_seconds: integer({ nullable: true, min: 0, max: 2_147_483_647, label: 'SA lifetime (seconds)' }),
    sa_lifetime_data: integer({ nullable: true, min: 0, max: 2_147_483_647, label: 'SA lifetime (KB)' }),
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
  filters: [viaPath('ipsec_policy', [referringObjectsOf('vpn.ipsecpolicy', 'proposals')], 'name')],
  constraints: [{ name: 'vpn_ipsecproposal_name_key', fields: ['name'] }],
  rules: [
    ({ encryption_algorithm: encryption, authentication_algorithm: authentication }) =>
      (encryption ?? authentication ?? null) === null
        ? { __all__: ['Encryption and/or authentication algorithm must be defined'] }
        : null,
  ],
});
