import type { Fixture } from './describe-model.js';

const registry = { name: 'rir', path: '/api/ipam/rirs/', body: { name: 'RFC 6996', slug: 'rfc-6996' } };

/** Fixtures (test data) of all models of the app `ipam`. */
export const ipamFixtures: Readonly<Record<string, Fixture>> = {
  'ipam.routetarget': {
    surroundings: [
      { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Acme', slug: 'acme' } },
      { name: 'vrf', path: '/api/ipam/vrfs/', body: { name: 'Red', rd: '65000:1' } },
    ],
    create: ({ tenant }) => [{ name: '65000:10', tenant }, { name: '65000:2' }, { name: '64999:1', description: 'x' }],
    patch: { body: { name: '65000:11' }, shown: { name: '65000:11', display: '65000:11' } },
    nullable: { field: 'tenant', value: { slug: 'acme' }, shown: { name: 'Acme' } },
    filters: [
      { query: 'name=65000:2&name=64999:1', finds: [1, 2] },
      { query: 'tenant=acme', finds: [0] },
      { query: 'q=65000', finds: [0, 1] },
      { query: 'importing_vrf=65000:1', finds: [] },
      { query: 'exporting_vrf_id=null', finds: [0, 1, 2] },
    ],
  },
  'ipam.rir': {
    create: () => [
      { name: 'Delta 10', slug: 'delta-10' },
      { name: 'Delta 2', slug: 'delta-2', is_private: true },
      { name: 'Echo', slug: 'echo' },
    ],
    patch: { body: { is_private: 'true' }, shown: { is_private: true } },
    filters: [
      { query: 'is_private=true', finds: [1] },
      { query: 'slug=echo', finds: [2] },
      { query: 'q=elta', finds: [0, 1] },
    ],
  },
  'ipam.asn': {
    surroundings: [
      registry,
      { name: 'role', path: '/api/ipam/roles/', body: { name: 'Transit', slug: 'transit' } },
      { name: 'group', path: '/api/dcim/site-groups/', body: { name: 'Edge', slug: 'edge' } },
      {
        name: 'site',
        path: '/api/dcim/sites/',
        body: { name: 'Amsterdam', slug: 'amsterdam', group: { slug: 'edge' } },
      },
    ],
    create: ({ rir, site }) => [
      { asn: 65_000, rir, sites: [site], role: { slug: 'transit' } },
      { asn: 65_001, rir: { slug: 'rfc-6996' } },
      { asn: 4_200_000_000, rir, sites: [{ slug: 'amsterdam' }] },
    ],
    patch: { body: { sites: [] }, shown: { sites: [], site_count: 0, display: 'AS65000' } },
    nullable: { field: 'role', value: { slug: 'transit' }, shown: { name: 'Transit' } },
    filters: [
      { query: 'asn=65001', finds: [1] },
      { query: 'asn__gte=65001', finds: [1, 2] },
      { query: 'site=amsterdam', finds: [0, 2] },
      { query: 'site_id=null', finds: [1] },
      { query: 'site__n=amsterdam', finds: [1] },
      { query: 'site_group=edge', finds: [0, 2] },
      { query: 'rir=rfc-6996', finds: [0, 1, 2] },
      { query: 'role=transit', finds: [0] },
      { query: 'q=65001', finds: [1] },
    ],
  },
  'ipam.asnrange': {
    surroundings: [
      registry,
      { name: 'asn', path: '/api/ipam/asns/', body: { asn: 65_005, rir: { slug: 'rfc-6996' } } },
    ],
    create: ({ rir }) => [
      { name: 'Delta 10', slug: 'delta-10', rir, start: 65_000, end: 65_010 },
      { name: 'Delta 2', slug: 'delta-2', rir, start: '64512', end: 64_600 },
      { name: 'Echo', slug: 'echo', rir, start: 1, end: 2 },
    ],
    patch: { body: { end: 65_004 }, shown: { end: 65_004, asn_count: 0 } },
    filters: [
      { query: 'start__gt=64000', finds: [0, 1] },
      { query: 'end=2', finds: [2] },
      { query: 'rir_id=null', finds: [] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'ipam.aggregate': {
    surroundings: [registry],
    create: ({ rir }) => [
      { prefix: '10.0.0.0/8', rir, date_added: '2026-11-21' },
      { prefix: '172.16.0.0/12', rir },
      { prefix: '2001:db8::/32', rir, description: 'docs' },
    ],
    patch: { body: { prefix: '192.168.0.0/16' }, shown: { prefix: '192.168.0.0/16', display: '192.168.0.0/16' } },
    nullable: { field: 'date_added', value: '2026-01-31', shown: '2026-01-31' },
    filters: [
      { query: 'prefix=172.16.0.0/12', finds: [1] },
      { query: 'prefix=nonsense', finds: [] },
      { query: 'family=6', finds: [2] },
      { query: 'date_added__gte=2026-11-21', finds: [0] },
      { query: 'q=10.1.2.0/24', finds: [0] },
      { query: 'rir=rfc-6996', finds: [0, 1, 2] },
    ],
  },
  'ipam.iprange': {
    surroundings: [{ name: 'vrf', path: '/api/ipam/vrfs/', body: { name: 'Red', rd: '65000:1' } }],
    create: ({ vrf }) => [
      { start_address: '10.0.0.1/24', end_address: '10.0.0.20/24', mark_utilized: true },
      { start_address: '10.0.0.10/24', end_address: '10.0.1.9/24', vrf },
      { start_address: '2001:db8::1/64', end_address: '2001:db8::ff/64', status: 'reserved' },
    ],
    patch: {
      body: { end_address: '10.0.0.30/24' },
      shown: { end_address: '10.0.0.30/24', size: 30, display: '10.0.0.1-30/24' },
    },
    nullable: { field: 'role', value: null, shown: null },
    filters: [
      { query: 'start_address=10.0.0.1', finds: [0] },
      { query: 'end_address=10.0.1.9/24', finds: [1] },
      { query: 'contains=10.0.0.10/8', finds: [0, 1] },
      { query: 'contains=nonsense', finds: [] },
      { query: 'parent=10.0.0.0/24', finds: [0] },
      { query: 'family=6', finds: [2] },
      { query: 'size__gt=100', finds: [1, 2] },
      { query: 'vrf=65000:1', finds: [1] },
      { query: 'mark_utilized=true', finds: [0] },
      { query: 'status=reserved', finds: [2] },
      { query: 'q=10.0.1', finds: [1] },
    ],
  },
  'ipam.vlangroup': {
    untried: ['region', 'site_group', 'location', 'rack_group', 'rack', 'cluster_group', 'cluster'],
    surroundings: [{ name: 'site', path: '/api/dcim/sites/', body: { name: 'Amsterdam', slug: 'amsterdam' } }],
    create: ({ site }) => [
      { name: 'Delta 10', slug: 'delta-10', scope_type: 'dcim.site', scope_id: site },
      {
        name: 'Delta 2',
        slug: 'delta-2',
        vid_ranges: [
          [100, 199],
          [300, 300],
        ],
      },
      { name: 'Echo', slug: 'echo' },
    ],
    patch: { body: { vid_ranges: [[1, 10]] }, shown: { vid_ranges: [[1, 10]], total_vlan_ids: 10 } },
    filters: [
      { query: 'site=1', finds: [0] },
      { query: 'region=1', finds: [] },
      { query: 'scope_type=dcim.site', finds: [0] },
      { query: 'contains_vid=300', finds: [0, 1, 2] },
      { query: 'contains_vid=200', finds: [0, 2] },
      { query: 'total_vlan_ids=101', finds: [1] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'ipam.vlan': {
    // Filters by interface are tested in test/related-filters.spec.ts.
    untried: ['interface_id', 'vminterface_id'],
    surroundings: [
      { name: 'group', path: '/api/ipam/vlan-groups/', body: { name: 'Ten', slug: 'ten', vid_ranges: [[1, 10]] } },
      { name: 'region', path: '/api/dcim/regions/', body: { name: 'Europe', slug: 'europe' } },
      {
        name: 'site',
        path: '/api/dcim/sites/',
        body: { name: 'Amsterdam', slug: 'amsterdam', region: { slug: 'europe' } },
      },
      { name: 'outer', path: '/api/ipam/vlans/', body: { vid: 4000, name: 'Outer', qinq_role: 'svlan' } },
    ],
    others: 1,
    create: ({ group, site, outer }) => [
      { vid: 10, name: 'Delta 10', group },
      { vid: 2, name: 'Delta 2', site, status: 'reserved' },
      { vid: 7, name: 'Echo', qinq_role: 'cvlan', qinq_svlan: outer },
    ],
    patch: { body: { vid: 3 }, shown: { vid: 3, display: 'Delta 10 (3)', display_name: 'Delta 10 (3)' } },
    nullable: { field: 'site', value: { slug: 'amsterdam' }, shown: { name: 'Amsterdam' } },
    filters: [
      { query: 'vid=2&vid=7', finds: [1, 2] },
      { query: 'group=ten', finds: [0] },
      { query: 'site=amsterdam', finds: [1] },
      { query: 'region=europe', finds: [1] },
      { query: 'region=null', finds: [0, 2] },
      { query: 'available_at_site=1', finds: [0, 1, 2] },
      { query: 'qinq_role=cvlan', finds: [2] },
      { query: 'qinq_svlan_vid=4000', finds: [2] },
      { query: 'status=reserved', finds: [1] },
      { query: 'q=10', finds: [0] },
    ],
  },
  'ipam.vlantranslationpolicy': {
    untried: ['created', 'last_updated', 'tag', 'tag_id'],
    create: () => [{ name: 'Delta 10' }, { name: 'Delta 2', description: 'x' }, { name: 'Echo' }],
    patch: { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed' } },
    filters: [
      { query: 'name=Echo', finds: [2] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'ipam.vlantranslationrule': {
    untried: ['created', 'last_updated', 'tag', 'tag_id'],
    surroundings: [{ name: 'policy', path: '/api/ipam/vlan-translation-policies/', body: { name: 'Edge' } }],
    create: ({ policy }) => [
      { policy, local_vid: 1, remote_vid: 11 },
      { policy: { name: 'Edge' }, local_vid: 2, remote_vid: 12 },
      { policy, local_vid: 3, remote_vid: 13, description: 'x' },
    ],
    patch: { body: { remote_vid: 21 }, shown: { remote_vid: 21, display: '1 -> 21 (Edge)' } },
    filters: [
      { query: 'local_vid__gt=1', finds: [1, 2] },
      { query: 'policy=Edge', finds: [0, 1, 2] },
      { query: 'q=13', finds: [2] },
    ],
  },
  'ipam.fhrpgroup': {
    untried: ['related_ip'],
    create: () => [
      { name: 'Delta 10', protocol: 'vrrp2', group_id: 10 },
      { protocol: 'hsrp', group_id: 2, auth_type: 'md5', auth_key: 'x' },
      { protocol: 'carp', group_id: 30 },
    ],
    patch: { body: { group_id: 11 }, shown: { group_id: 11, display: 'Delta 10 VRRPv2: 11' } },
    nullable: { field: 'auth_type', value: 'plaintext', shown: 'plaintext' },
    filters: [
      { query: 'protocol=hsrp&protocol=carp', finds: [1, 2] },
      { query: 'group_id__gte=10', finds: [0, 2] },
      { query: 'auth_type=md5', finds: [1] },
      { query: 'q=delta', finds: [0] },
    ],
  },
  'ipam.servicetemplate': {
    create: () => [
      { name: 'Delta 10', protocol: 'tcp', ports: [443, 80, 81] },
      { name: 'Delta 2', protocol: 'udp', ports: [53] },
      { name: 'Echo', protocol: 'tcp', ports: ['7'] },
    ],
    patch: { body: { ports: [80, 443, 444] }, shown: { ports: [80, 443, 444], display: 'Delta 10 (TCP/80, 443-444)' } },
    filters: [
      { query: 'port=53', finds: [1] },
      { query: 'port__lt=60', finds: [1, 2] },
      { query: 'protocol=tcp', finds: [0, 2] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'ipam.service': {
    untried: ['device', 'device_id', 'virtual_machine', 'virtual_machine_id', 'fhrpgroup_id'],
    surroundings: [
      { name: 'group', path: '/api/ipam/fhrp-groups/', body: { name: 'Edge', protocol: 'carp', group_id: 1 } },
      { name: 'address', path: '/api/ipam/ip-addresses/', body: { address: '10.0.0.1/24' } },
    ],
    create: ({ group, address }) => {
      const parent = { parent_object_type: 'ipam.fhrpgroup', parent_object_id: group };
      return [
        { name: 'Delta 10', protocol: 'tcp', ports: [443], ...parent, ipaddresses: [address] },
        { name: 'Delta 2', protocol: 'udp', ports: [53], ...parent },
        { name: 'Echo', protocol: 'sctp', ports: [7], ...parent },
      ];
    },
    patch: { body: { ipaddresses: [] }, shown: { ipaddresses: [] } },
    filters: [
      { query: 'ip_address=10.0.0.1/24', finds: [0] },
      { query: 'ip_address_id=null', finds: [1, 2] },
      { query: 'fhrpgroup=Edge', finds: [0, 1, 2] },
      { query: 'fhrpgroup_id=99', finds: [] },
      { query: 'port=7&port=53', finds: [1] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
};
