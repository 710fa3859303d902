import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/field-types/choice.js';
import { countOf } from '../../engine/field-types/computed-field.js';
import { integer } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../field-groups.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';

const tunnelStatus = { planned: 'Planned', active: 'Active', disabled: 'Disabled' };

const tunnelEncapsulation = {
  'ipsec-transport': 'IPsec - Transport',
  'ipsec-tunnel': 'IPsec - Tunnel',
  'ip-ip': 'IP-in-IP',
  gre: 'GRE',
  wireguard: 'WireGuard',
  openvpn: 'OpenVPN',
  l2tp: 'L2TP',
  pptp: 'PPTP',
};

/** A VPN tunnel: a network connection through another network. */
export const tunnel = defineModel('vpn.tunnel', {
  path: 'vpn/tunnels',
  objectName: 'Tunnel',
  verboseName: 'tunnel',
  verboseNamePlural: 'tunnels',
  resetOnPut: ['group'],
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    status: choice(tunnelStatus, { required: true, default: 'active' }),
    group: referenceField('vpn.tunnelgroup', { nullable: true }),
    encapsulation: choice(tunnelEncapsulation, { required: true }),
    ipsec_profile: referenceField('vpn.ipsecprofile', { nullable: true, filterBy: 'name' }),
    tenant: referenceField('tenancy.tenant', { nullable: true }),
    tunnel_id: integer({ nullable: true, min: 0, label: 'tunnel ID' }),
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    terminations_count: countOf('vpn.tunneltermination', { via: 'tunnel' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'description', 'comments'),
  constraints: [
    { name: 'vpn_tunnel_name_key', fields: ['name'] },
    { name: 'vpn_tunnel_group_id_name_key', fields: ['group', 'name'] },
    { name: 'vpn_tunnel_name', fields: ['name'], whereNull: 'group', key: '__all__' },
  ],
  filters: [...tenantGroupFilters, ...contactFilters],
});
