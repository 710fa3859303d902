import { deviceBasics, deviceIn, deviceSurroundings } from './device-fixtures.js';
import type { Fixture } from './describe-model.js';

/** Two devices, `Router` in a rack and `Switch` without a rack, with all objects on which the devices depend. */
export const twoDevices = [
  { name: 'region', path: '/api/dcim/regions/', body: { name: 'Europe', slug: 'europe' } },
  { name: 'siteGroup', path: '/api/dcim/site-groups/', body: { name: 'Edge', slug: 'edge' } },
  { name: 'tenant', path: '/api/tenancy/tenants/', body: { name: 'Initech', slug: 'initech' } },
  ...deviceSurroundings,
  {
    name: 'place',
    path: '/api/dcim/sites/',
    body: { name: 'Berlin', slug: 'berlin', region: { slug: 'europe' }, group: { slug: 'edge' } },
  },
  { name: 'location', path: '/api/dcim/locations/', body: { name: 'Hall', slug: 'hall', site: { slug: 'berlin' } } },
  {
    name: 'rack',
    path: '/api/dcim/racks/',
    body: { name: 'R1', site: { slug: 'berlin' }, location: { slug: 'hall' } },
  },
  { name: 'chassis', path: '/api/dcim/virtual-chassis/', body: { name: 'Stack' } },
  {
    name: 'Router',
    path: '/api/dcim/devices/',
    body: {
      ...deviceBasics,
      name: 'Router',
      site: { slug: 'berlin' },
      location: { slug: 'hall' },
      rack: { name: 'R1' },
      tenant: { slug: 'initech' },
      virtual_chassis: { name: 'Stack' },
      vc_position: 1,
      status: 'planned',
    },
  },
  deviceIn('Switch'),
] as const;

/** Query strings that match only the first component of the fixture, which belongs to the device `Router`. */
const byDevice: Fixture['filters'] = [
  { query: 'device=Router', finds: [0] },
  { query: 'region=europe', finds: [0] },
  { query: 'site_group=edge', finds: [0] },
  { query: 'site=amsterdam&site_id=1', finds: [1, 2] },
  { query: 'location=hall&location_id=1', finds: [0] },
  { query: 'rack=R1&rack_id=1', finds: [0] },
  { query: 'tenant=initech', finds: [0] },
  { query: 'virtual_chassis=Stack', finds: [0] },
  { query: 'device_role=access&device_role_id=1', finds: [0, 1, 2] },
  { query: 'device_type=Box%201&device_type_id=1', finds: [0, 1, 2] },
  { query: 'device_status=planned', finds: [0] },
  { query: 'cabled=false', finds: [0, 1, 2] },
  { query: 'occupied=true', finds: [2] },
  { query: 'connected=true', finds: [] },
  { query: 'connected=false', finds: [0, 1, 2] },
  { query: 'cable_connector=1', finds: [] },
  { query: 'cable_end=A', finds: [] },
  { query: 'q=elta', finds: [0, 1] },
];

const inMove = { body: { label: 'back' }, shown: { label: 'back', display: 'Delta 10 (back)', link_peers: [] } };

/**
 * Returns a fixture (test data) of a component model, with components of two devices and with the fields that only this
 * model has.
 */
const component = (
  own: readonly [object, object],
  filters: Fixture['filters'],
  more: Partial<Fixture> = {},
): Fixture => ({
  surroundings: twoDevices,
  create: ({ Router, Switch }) => [
    { device: Router, name: 'Delta 10', ...own[0] },
    { device: { name: 'Switch' }, name: 'Delta 2', label: 'front', ...own[1] },
    { device: Switch, name: 'Echo', mark_connected: true },
  ],
  patch: inMove,
  filters: [...byDevice, ...filters],
  ...more,
});

const console = component(
  [{ type: 'rj-45', speed: 9600 }, { speed: 115_200 }],
  [
    { query: 'speed=9600', finds: [0] },
    { query: 'type=rj-45', finds: [0] },
  ],
);

/** Objects to which the interfaces of the fixture refer, and which must therefore be created first. */
const interfaceSurroundings = [
  ...twoDevices,
  { name: 'vlan', path: '/api/ipam/vlans/', body: { name: 'Office', vid: 10 } },
  { name: 'voice', path: '/api/ipam/vlans/', body: { name: 'Voice', vid: 20 } },
  { name: 'vrf', path: '/api/ipam/vrfs/', body: { name: 'Red', rd: '65000:1' } },
  { name: 'policy', path: '/api/ipam/vlan-translation-policies/', body: { name: 'Swap' } },
  { name: 'wlan', path: '/api/wireless/wireless-lans/', body: { ssid: 'guests' } },
  {
    name: 'vdc',
    path: '/api/dcim/virtual-device-contexts/',
    body: { device: { name: 'Router' }, name: 'Red', identifier: 7, status: 'active' },
  },
  {
    name: 'parent',
    path: '/api/dcim/interfaces/',
    body: { device: { name: 'Router' }, name: 'Bond', type: 'lag' },
  },
] as const;

/** Fixtures (test data) of the ports of devices. */
export const portFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.consoleport': console,
  'dcim.consoleserverport': console,
  'dcim.powerport': component(
    [{ type: 'iec-60320-c14', maximum_draw: 100, allocated_draw: 50 }, {}],
    [
      { query: 'maximum_draw__gte=100', finds: [0] },
      { query: 'allocated_draw=50', finds: [0] },
      { query: 'type=iec-60320-c14', finds: [0] },
    ],
  ),
  'dcim.poweroutlet': component(
    [
      { type: 'iec-60320-c13', status: 'faulty', feed_leg: 'A', color: 'ff0000', power_port: { name: 'In' } },
      { status: 'disabled' },
    ],
    [
      { query: 'type=iec-60320-c13', finds: [0] },
      { query: 'status=faulty', finds: [0] },
      { query: 'feed_leg=A', finds: [0] },
      { query: 'color=ff0000', finds: [0] },
      { query: 'power_port_id=1', finds: [0] },
    ],
    {
      surroundings: [
        ...twoDevices,
        { name: 'inlet', path: '/api/dcim/power-ports/', body: { device: { name: 'Router' }, name: 'In' } },
      ],
    },
  ),
  'dcim.interface': {
    surroundings: interfaceSurroundings,
    others: 1,
    create: ({ Router, Switch, parent, vlan, voice, vdc, wlan, policy }) => [
      {
        device: Router,
        name: 'Delta 10',
        type: 'virtual',
        parent,
        vdcs: [vdc],
        mode: 'tagged',
        untagged_vlan: vlan,
        qinq_svlan: null,
        tagged_vlans: [voice, { vid: 10 }],
        vrf: { rd: '65000:1' },
        vlan_translation_policy: policy,
        wwn: '00:11:22:33:44:55:66:77',
        mtu: 9000,
      },
      {
        device: { name: 'Switch' },
        name: 'Delta 2',
        label: 'front',
        type: 'ieee802.11ax',
        rf_role: 'ap',
        rf_channel: '5g-36-5180-20',
        tx_power: 20,
        wireless_lans: [wlan],
        mgmt_only: true,
      },
      {
        device: Switch,
        name: 'Echo',
        type: '1000base-t',
        enabled: false,
        mark_connected: true,
        speed: 1_000_000,
        duplex: 'full',
        poe_mode: 'pse',
        poe_type: 'type2-ieee802.3at',
      },
    ],
    patch: {
      body: { label: 'back', mode: 'q-in-q', qinq_svlan: { vid: 20 } },
      shown: {
        label: 'back',
        display: 'Delta 10 (back)',
        mode: { value: 'q-in-q', label: 'Q-in-Q (802.1ad)' },
        qinq_svlan: { vid: 20 },
        tagged_vlans: [],
      },
    },
    nullable: { field: 'vrf', value: { name: 'Red' }, shown: { rd: '65000:1' } },
    filters: [
      ...byDevice,
      { query: 'type=1000base-t', finds: [2] },
      { query: 'kind=physical', finds: [2] },
      { query: 'kind=Virtual', finds: [0] },
      { query: 'kind=wireless', finds: [1] },
      { query: 'kind=other', finds: [] },
      { query: 'vlan_id=2', finds: [0] },
      { query: 'vlan=10', finds: [0] },
      { query: 'vlan=office', finds: [] },
      { query: 'vrf=65000:1', finds: [0] },
      { query: 'vdc=Red', finds: [0] },
      { query: 'vdc_identifier=7', finds: [0] },
      { query: 'wireless_lan_id=1', finds: [1] },
      { query: 'vlan_translation_policy=Swap', finds: [0] },
      { query: 'parent_id=1', finds: [0] },
      { query: 'rf_channel_frequency=5180', finds: [1] },
      { query: 'rf_channel_width__lt=40', finds: [1] },
      { query: 'tx_power=20', finds: [1] },
      { query: 'wwn=0011.2233.4455.6677', finds: [0] },
      { query: 'wwn__isw=00:11', finds: [0] },
      { query: 'mtu__gte=9000', finds: [0] },
      { query: 'speed=1000000', finds: [2] },
      { query: 'duplex=full', finds: [2] },
      { query: 'poe_mode=pse', finds: [2] },
      { query: 'enabled=false', finds: [2] },
      { query: 'mgmt_only=true', finds: [1] },
      { query: 'virtual_chassis_member=Router', finds: [0] },
      { query: 'virtual_chassis_member_id=1', finds: [0] },
      { query: 'virtual_chassis_member_or_master=Switch', finds: [1, 2] },
      { query: 'virtual_chassis_member_or_master_id=2', finds: [1, 2] },
    ],
    untried: ['mac_address'],
  },
};
