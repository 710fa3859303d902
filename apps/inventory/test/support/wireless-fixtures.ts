import type { Fixture } from './describe-model.js';
import { deviceIn, deviceSurroundings } from './device-fixtures.js';
import { byName, named, renamed } from './fixtures-of-named-objects.js';

const wlan = (name: string): { name: string; path: string; body: Readonly<Record<string, unknown>> } => ({
  name,
  path: '/api/dcim/interfaces/',
  body: { device: { name: 'Switch' }, name, type: 'ieee802.11ax' },
});

const sealedKey = [
  { query: 'auth_psk__empty=false', finds: [0] },
  { query: 'auth_psk=correct%20horse', finds: [0] },
  { query: 'auth_psk__n=correct%20horse', finds: [1, 2] },
];

/** Fixtures (test data) of all models of the app `wireless`. */
export const wirelessFixtures: Readonly<Record<string, Fixture>> = {
  'wireless.wirelesslangroup': {
    create: named('Delta 10', 'Delta 2', 'Echo'),
    patch: renamed,
    nullable: { field: 'parent', value: { slug: 'echo' }, shown: { name: 'Echo' } },
    filters: byName,
  },
  'wireless.wirelesslan': {
    surroundings: [
      { name: 'group', path: '/api/wireless/wireless-lan-groups/', body: { name: 'Guests', slug: 'guests' } },
      { name: 'site', path: '/api/dcim/sites/', body: { name: 'Hall', slug: 'hall' } },
      { name: 'vlan', path: '/api/ipam/vlans/', body: { vid: 10, name: 'Guests' } },
      { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Acme', slug: 'acme' } },
    ],
    create: ({ group, site, vlan }) => [
      { ssid: 'Delta 10', group, auth_type: 'wpa-personal', auth_cipher: 'aes', auth_psk: 'correct horse' },
      { ssid: 'Delta 2', scope_type: 'dcim.site', scope_id: site, status: 'reserved', vlan },
      { ssid: 'Echo', tenant: { slug: 'acme' } },
    ],
    patch: { body: { ssid: 'Renamed' }, shown: { ssid: 'Renamed', display: 'Renamed', auth_psk: 'correct horse' } },
    nullable: { field: 'vlan', value: { vid: 10 }, shown: { vid: 10 } },
    filters: [
      ...sealedKey,
      { query: 'ssid=Echo', finds: [2] },
      { query: 'group=guests', finds: [0] },
      { query: 'status=reserved', finds: [1] },
      { query: 'site=hall', finds: [1] },
      { query: 'vlan_id=null', finds: [0, 2] },
      { query: 'auth_type=wpa-personal', finds: [0] },
      { query: 'auth_cipher=aes', finds: [0] },
      { query: 'interface_id=null', finds: [0, 1, 2] },
      { query: 'q=elta', finds: [0, 1] },
    ],
  },
  'wireless.wirelesslink': {
    surroundings: [...deviceSurroundings, deviceIn('Switch'), ...['w1', 'w2', 'w3', 'w4', 'w5', 'w6'].map(wlan)],
    create: (ids) => [
      { interface_a: ids['w1'], interface_b: ids['w2'], auth_type: 'wpa-personal', auth_psk: 'correct horse' },
      { interface_a: { name: 'w3' }, interface_b: ids['w4'], ssid: 'Delta', distance: 1.5, distance_unit: 'km' },
      { interface_a: ids['w5'], interface_b: ids['w6'], status: 'planned', distance_unit: 'm' },
    ],
    patch: { body: { ssid: 'Renamed' }, shown: { ssid: 'Renamed', display: 'Renamed', distance_unit: null } },
    nullable: { field: 'distance', value: 2, shown: 2 },
    filters: [
      ...sealedKey,
      { query: 'interface_a_id=1', finds: [0] },
      { query: 'interface_b_id__n=2', finds: [1, 2] },
      { query: 'ssid=Delta', finds: [1] },
      { query: 'status=planned', finds: [2] },
      { query: 'distance__gte=1', finds: [1] },
      { query: 'distance_unit=km', finds: [1] },
      { query: 'q=elta', finds: [1] },
    ],
  },
};
