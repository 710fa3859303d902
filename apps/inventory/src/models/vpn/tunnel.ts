import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

const tunnelStatusChoices = { planned: 'Planned', active: 'Active', disabled: 'Disabled' };

const tunnelEncapsulationChoices = {
  'ipsec-transport': 'IPsec - Transport',
  'ipsec-tunnel': 'IPsec - Tunnel',
  'ip-ip': 'IP-in-IP',
  gre: 'GRE',
  wireguard: 'WireGuard',
  openvpn: 'OpenVPN',
  l2tp: 'L2TP',
  pptp: 'PPTP',
};

/** Model of a VPN tunnel: a network connection through another network. */
export const tunnelModel = defineModel('vpn.tunnel', {
  path: 'vpn/tunnels',
  objectName: 'Tunnel',
  verboseName: 'tunnel',
  verboseNamePlural: 'tunnels',
  resetOnPut: ['group'],
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    status: choiceField(tunnelStatusChoices, { required: true, default: 'active' }),
    group: referenceField('vpn.tunnelgroup', { nullable: true }),
    encapsulation: choiceField(tunnelEncapsulationChoices, { required: true }),
    ipsec_profile: referenceField('vpn.ipsecprofile', { nullable: true, filterBy: 'name' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    tunnel_id: integerField({ nullable: true, min: 0, label: 'tunnel ID' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    terminations_count: referringObjectCountField('vpn.tunneltermination', { via: 'tunnel' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [
    { name: 'vpn_tunnel_name_key', fields: ['name'] },
    { name: 'vpn_tunnel_group_id_name_key', fields: ['group', 'name'] },
    { name: 'vpn_tunnel_name', fields: ['name'], whereNull: 'group', key: '__all__' },
  ],
  filters: [...tenantGroupFilters, ...contactFilters],
});
