import type { Fixture } from './describe-model.js';
import { deviceIn, deviceSurroundings } from './device-fixtures.js';

const ikeProposal = { authentication_method: 'preshared-keys', encryption_algorithm: 'aes-256-gcm', group: 14 };

const ikeProposals = ['Alpha', 'Beta'].map((name) => ({
  name: `ike${name}`,
  path: '/api/vpn/ike-proposals/',
  body: { ...ikeProposal, name },
}));

const ipsecProposal = { name: 'Alpha', encryption_algorithm: 'aes-256-gcm' };

const policies = [
  ...['Alpha', 'Beta'].map((name) => ({
    name: `ike${name}`,
    path: '/api/vpn/ike-policies/',
    body: { name, version: 2 },
  })),
  { name: 'ipsec', path: '/api/vpn/ipsec-policies/', body: { name: 'Alpha' } },
];

const tenant = [
  { name: 'tenants', path: '/api/tenancy/tenant-groups/', body: { name: 'Group', slug: 'group' } },
  { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Acme', slug: 'acme', group: { slug: 'group' } } },
];

/** Test objects: interfaces of a device and of a virtual machine at the same site. */
export const vpnInterfaces = [
  { name: 'region', path: '/api/dcim/regions/', body: { name: 'North', slug: 'north' } },
  ...deviceSurroundings,
  deviceIn('Router'),
  ...['eth0', 'eth1'].map((name) => ({
    name,
    path: '/api/dcim/interfaces/',
    body: { device: { name: 'Router' }, name, type: '1000base-t' },
  })),
  {
    name: 'machine',
    path: '/api/virtualization/virtual-machines/',
    body: { name: 'Machine', site: { slug: 'amsterdam' } },
  },
  {
    name: 'ens1',
    path: '/api/virtualization/interfaces/',
    body: { virtual_machine: { name: 'Machine' }, name: 'ens1' },
  },
];

/** Fixtures (test data) of all models of the app `vpn`. */
export const vpnFixtures: Readonly<Record<string, Fixture>> = {
  'vpn.ikepolicy': {
    surroundings: ikeProposals,
    create: ({ ikeAlpha, ikeBeta }) => [
      { name: 'Delta 10', version: 1, mode: 'main', proposals: [ikeAlpha, ikeBeta], preshared_key: 'open sesame' },
      { name: 'Delta 2', version: 2, preshared_key: '"\\ other', comments: 'second' },
      { name: 'Echo', version: '2' },
    ],
    patch: {
      body: { mode: 'aggressive', preshared_key: 'opened' },
      shown: { mode: { value: 'aggressive', label: 'Aggressive' }, preshared_key: 'opened' },
    },
    filters: [
      { query: 'version=1', finds: [0] },
      { query: 'mode=main', finds: [0] },
      { query: 'mode=null', finds: [1, 2] },
      { query: 'ike_proposal=Alpha', finds: [0] },
      { query: 'preshared_key=open+sesame', finds: [0] },
      { query: 'preshared_key__n=open+sesame', finds: [1, 2] },
      { query: 'preshared_key__empty=true', finds: [2] },
      { query: 'preshared_key__empty=false', finds: [0, 1] },
      { query: 'q=second', finds: [1] },
    ],
  },
  'vpn.ikeproposal': {
    create: () => [
      { ...ikeProposal, name: 'Delta 10', sa_lifetime: 3600 },
      { ...ikeProposal, name: 'Delta 2', authentication_algorithm: 'hmac-sha256', group: '2' },
      { ...ikeProposal, name: 'Echo', authentication_method: 'certificates', encryption_algorithm: 'des-cbc' },
    ],
    patch: {
      body: { group: 31, sa_lifetime: null },
      shown: { group: { value: 31, label: 'Group 31' }, sa_lifetime: null },
    },
    nullable: { field: 'authentication_algorithm', value: 'hmac-md5', shown: { value: 'hmac-md5', label: 'MD5 HMAC' } },
    filters: [
      { query: 'authentication_method=certificates', finds: [2] },
      { query: 'encryption_algorithm=aes-256-gcm', finds: [0, 1] },
      { query: 'authentication_algorithm=null', finds: [0, 2] },
      { query: 'group=2', finds: [1] },
      { query: 'sa_lifetime__gte=3600', finds: [0] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'vpn.ipsecproposal': {
    create: () => [
      { name: 'Delta 10', encryption_algorithm: 'aes-128-cbc', sa_lifetime_seconds: 60 },
      { name: 'Delta 2', authentication_algorithm: 'hmac-sha1', sa_lifetime_data: 1000 },
      { name: 'Echo', encryption_algorithm: '3des-cbc', authentication_algorithm: 'hmac-md5' },
    ],
    patch: {
      body: { encryption_algorithm: null, authentication_algorithm: 'hmac-sha512' },
      shown: {
        encryption_algorithm: null,
        authentication_algorithm: { value: 'hmac-sha512', label: 'SHA-512 HMAC' },
      },
    },
    nullable: { field: 'sa_lifetime_seconds', value: 5, shown: 5 },
    filters: [
      { query: 'encryption_algorithm=aes-128-cbc', finds: [0] },
      { query: 'authentication_algorithm__n=hmac-md5', finds: [0, 1] },
      { query: 'sa_lifetime_seconds=60', finds: [0] },
      { query: 'sa_lifetime_data__empty=true', finds: [0, 2] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'vpn.ipsecpolicy': {
    surroundings: [{ name: 'proposal', path: '/api/vpn/ipsec-proposals/', body: ipsecProposal }],
    create: ({ proposal }) => [
      { name: 'Delta 10', proposals: [proposal], pfs_group: 14 },
      { name: 'Delta 2', proposals: [{ name: 'Alpha' }], comments: 'second' },
      { name: 'Echo' },
    ],
    patch: { body: { proposals: [] }, shown: { proposals: [] } },
    nullable: { field: 'pfs_group', value: 5, shown: { value: 5, label: 'Group 5' } },
    filters: [
      { query: 'ipsec_proposal=Alpha', finds: [0, 1] },
      { query: 'ipsec_proposal_id=null', finds: [2] },
      { query: 'pfs_group=14', finds: [0] },
      { query: 'q=second', finds: [1] },
    ],
  },
  'vpn.ipsecprofile': {
    surroundings: policies,
    create: ({ ikeAlpha, ikeBeta, ipsec }) => [
      { name: 'Delta 10', mode: 'esp', ike_policy: ikeAlpha, ipsec_policy: ipsec },
      { name: 'Delta 2', mode: 'ah', ike_policy: { name: 'Beta' }, ipsec_policy: { name: 'Alpha' } },
      { name: 'Echo', mode: 'esp', ike_policy: ikeBeta, ipsec_policy: ipsec, comments: 'third' },
    ],
    patch: { body: { mode: 'ah' }, shown: { mode: { value: 'ah', label: 'AH' } } },
    filters: [
      { query: 'mode=ah', finds: [1] },
      { query: 'ike_policy=Beta', finds: [1, 2] },
      { query: 'ipsec_policy=Alpha', finds: [0, 1, 2] },
      { query: 'q=third', finds: [2] },
    ],
  },
  'vpn.tunnelgroup': {
    create: () => [
      { name: 'Delta 10', slug: 'delta-10' },
      { name: 'Delta 2', slug: 'delta-2', comments: 'second' },
      { name: 'Echo', slug: 'echo' },
    ],
    patch: { body: { slug: 'renamed' }, shown: { slug: 'renamed', tunnel_count: 0 } },
    filters: [
      { query: 'slug=echo', finds: [2] },
      { query: 'contact=null', finds: [0, 1, 2] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'vpn.tunnel': {
    surroundings: [
      ...policies,
      ...tenant,
      { name: 'group', path: '/api/vpn/tunnel-groups/', body: { name: 'Wide', slug: 'wide' } },
      {
        name: 'profile',
        path: '/api/vpn/ipsec-profiles/',
        body: { name: 'Profile', mode: 'esp', ike_policy: { name: 'Alpha' }, ipsec_policy: { name: 'Alpha' } },
      },
    ],
    create: ({ group, profile, tenant }) => [
      {
        name: 'Delta 10',
        status: 'active',
        encapsulation: 'ipsec-tunnel',
        group,
        ipsec_profile: profile,
        tenant,
        tunnel_id: 7,
      },
      { name: 'Delta 2', status: 'planned', encapsulation: 'gre', group: { slug: 'wide' } },
      { name: 'Echo', status: 'disabled', encapsulation: 'wireguard', comments: 'third' },
    ],
    patch: {
      body: { status: 'disabled', tunnel_id: null },
      shown: { status: { value: 'disabled', label: 'Disabled' }, tunnel_id: null, terminations_count: 0 },
    },
    nullable: { field: 'group', value: { slug: 'wide' }, shown: { slug: 'wide', name: 'Wide' } },
    filters: [
      { query: 'status=planned', finds: [1] },
      { query: 'encapsulation=gre&encapsulation=wireguard', finds: [1, 2] },
      { query: 'group=wide', finds: [0, 1] },
      { query: 'group_id=null', finds: [2] },
      { query: 'ipsec_profile=Profile', finds: [0] },
      { query: 'tenant_group=group', finds: [0] },
      { query: 'tunnel_id=7', finds: [0] },
      { query: 'contact=null', finds: [0, 1, 2] },
      { query: 'q=third', finds: [2] },
    ],
  },
  'vpn.tunneltermination': {
    surroundings: [
      ...vpnInterfaces,
      { name: 'address', path: '/api/ipam/ip-addresses/', body: { address: '10.0.0.1/24' } },
      ...['One', 'Two'].map((name) => ({
        name,
        path: '/api/vpn/tunnels/',
        body: { name, status: 'active', encapsulation: 'gre' },
      })),
    ],
    create: ({ One, Two, eth0, eth1, ens1, address }) => [
      { tunnel: One, role: 'hub', termination_type: 'dcim.interface', termination_id: eth0, outside_ip: address },
      { tunnel: Two, role: 'spoke', termination_type: 'dcim.interface', termination_id: eth1 },
      { tunnel: Two, role: 'peer', termination_type: 'virtualization.vminterface', termination_id: ens1 },
    ],
    patch: { body: { role: 'peer' }, shown: { role: { value: 'peer', label: 'Peer' } } },
    nullable: { field: 'outside_ip', value: { address: '10.0.0.1/24' }, shown: { address: '10.0.0.1/24' } },
    filters: [
      { query: 'tunnel=Two', finds: [1, 2] },
      { query: 'role=hub', finds: [0] },
      { query: 'termination_type=dcim.interface', finds: [0, 1] },
      { query: 'interface=eth1', finds: [1] },
      { query: 'interface_id=null', finds: [2] },
      { query: 'vminterface=ens1', finds: [2] },
      { query: 'vminterface_id=null', finds: [0, 1] },
      { query: 'outside_ip_id=null', finds: [1, 2] },
      { query: 'q=two', finds: [1, 2] },
    ],
  },
  'vpn.l2vpn': {
    surroundings: [
      ...tenant,
      ...['65000:1', '65000:2'].map((name) => ({ name, path: '/api/ipam/route-targets/', body: { name } })),
    ],
    create: ({ tenant, '65000:1': target }) => [
      { name: 'Delta 10', slug: 'delta-10', type: 'vpls', identifier: 100, import_targets: [target], tenant },
      { name: 'Delta 2', slug: 'delta-2', type: 'vxlan', export_targets: [{ name: '65000:2' }], status: 'planned' },
      { name: 'Echo', slug: 'echo', type: 'evpl', description: 'third' },
    ],
    patch: {
      body: { identifier: -5, type: 'spb' },
      shown: { identifier: -5, display: 'Delta 10 (-5)', type: { value: 'spb', label: 'SPB' } },
    },
    nullable: { field: 'identifier', value: 2 ** 40, shown: 2 ** 40 },
    filters: [
      { query: 'type=vpls&type=vxlan', finds: [0, 1] },
      { query: 'status=planned', finds: [1] },
      { query: 'identifier=100', finds: [0] },
      { query: 'import_target=65000:1', finds: [0] },
      { query: 'export_target_id=null', finds: [0, 2] },
      { query: 'tenant=acme', finds: [0] },
      { query: 'contact=null', finds: [0, 1, 2] },
      { query: 'q=100', finds: [0] },
      { query: 'q=third', finds: [2] },
    ],
  },
  'vpn.l2vpntermination': {
    surroundings: [
      ...vpnInterfaces,
      {
        name: 'vlan',
        path: '/api/ipam/vlans/',
        body: { vid: 100, name: 'Red', site: { slug: 'amsterdam' } },
      },
      ...['One', 'Two'].map((name) => ({
        name,
        path: '/api/vpn/l2vpns/',
        body: { name, slug: name.toLowerCase(), type: 'vpls' },
      })),
    ],
    create: ({ One, Two, eth0, ens1, vlan }) => [
      { l2vpn: One, assigned_object_type: 'dcim.interface', assigned_object_id: eth0 },
      { l2vpn: { slug: 'two' }, assigned_object_type: 'virtualization.vminterface', assigned_object_id: ens1 },
      { l2vpn: Two, assigned_object_type: 'ipam.vlan', assigned_object_id: vlan },
    ],
    untried: ['region', 'region_id'],
    patch: { body: { l2vpn: { slug: 'two' } }, shown: { l2vpn: { name: 'Two' }, display: 'eth0 <> Two' } },
    filters: [
      { query: 'l2vpn=two', finds: [1, 2] },
      { query: 'region=north', finds: [] },
      { query: 'region_id=1', finds: [] },
      { query: 'site=amsterdam', finds: [0, 1, 2] },
      { query: 'site_id=1', finds: [0, 1, 2] },
      { query: 'site=nowhere', finds: [] },
      { query: 'device=Router', finds: [0] },
      { query: 'device_id=null', finds: [1, 2] },
      { query: 'virtual_machine=Machine', finds: [1] },
      { query: 'virtual_machine_id=null', finds: [0, 2] },
      { query: 'interface=eth0', finds: [0] },
      { query: 'interface_id=null', finds: [1, 2] },
      { query: 'vminterface=ens1', finds: [1] },
      { query: 'vminterface_id=null', finds: [0, 2] },
      { query: 'vlan=Red', finds: [2] },
      { query: 'vlan_id=null', finds: [0, 1] },
      { query: 'vlan_vid=100', finds: [2] },
      { query: 'vlan_vid__lt=100', finds: [] },
      { query: 'assigned_object_type=ipam.vlan', finds: [2] },
      { query: 'q=two', finds: [1, 2] },
    ],
  },
};
