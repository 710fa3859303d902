import type { Fixture } from './describe-model.js';

const registry = { name: 'rir', path: '/api/ipam/rirs/', body: { name: 'RFC 6996', slug: 'rfc-6996' } };

/** Fixtures of the models of ipam. */
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
};
