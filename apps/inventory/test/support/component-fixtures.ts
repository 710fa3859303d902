import type { Fixture } from './describe-model.js';
import { deviceIn, deviceSurroundings } from './device-fixtures.js';

const twoDevices = [...deviceSurroundings, deviceIn('Switch'), deviceIn('Router')];

/** Queries that components answer alike of which the first belongs to the router, the others to the switch. */
const byDevice: Fixture['filters'] = [
  { query: 'device=Router', finds: [0] },
  { query: 'site=amsterdam', finds: [0, 1, 2] },
  { query: 'site_id=1', finds: [0, 1, 2] },
  { query: 'device_role=access', finds: [0, 1, 2] },
  { query: 'device_role_id=1', finds: [0, 1, 2] },
  { query: 'device_type=Box%201', finds: [0, 1, 2] },
  { query: 'device_type_id=1', finds: [0, 1, 2] },
  { query: 'device_status=planned', finds: [] },
  { query: 'device_status=active', finds: [0, 1, 2] },
  { query: 'location_id=null', finds: [0, 1, 2] },
  { query: 'q=elta', finds: [0, 1] },
];

const byCable = [
  { query: 'cabled=false', finds: [0, 1, 2] },
  { query: 'occupied=true', finds: [2] },
  { query: 'cable_connector=1', finds: [] },
  { query: 'cable_end=A', finds: [] },
];

const label = {
  body: { label: 'back' },
  shown: { label: 'back', display: 'Delta 10 (back)', link_peers: [], link_peers_type: null, _occupied: false },
};

/** A port with four positions on the other side of those that a fixture makes, of the router. */
function port(name: 'front' | 'rear'): NonNullable<Fixture['surroundings']>[number] {
  const body = { device: { name: 'Router' }, name: 'Panel', type: 'mpo', positions: 4 };
  return { name, path: `/api/dcim/${name}-ports/`, body };
}

/** Fixtures of components that no cable ends at, or that lead through a device. */
export const componentFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.frontport': {
    surroundings: [...twoDevices, port('rear')],
    create: ({ Router, Switch, rear }) => [
      {
        device: Router,
        name: 'Delta 10',
        type: 'lc',
        rear_ports: [{ position: 1, rear_port: rear, rear_port_position: 3 }],
      },
      { device: { name: 'Switch' }, name: 'Delta 2', type: 'lc', color: 'ff0000' },
      { device: Switch, name: 'Echo', type: '8p8c', positions: 2, mark_connected: true },
    ],
    patch: label,
    filters: [
      ...byDevice,
      ...byCable,
      { query: 'type=lc', finds: [0, 1] },
      { query: 'color=ff0000', finds: [1] },
      { query: 'positions__gt=1', finds: [2] },
      { query: 'rear_port_id=1', finds: [0] },
    ],
  },
  'dcim.rearport': {
    surroundings: [...twoDevices, port('front')],
    create: ({ Router, Switch, front }) => [
      {
        device: Router,
        name: 'Delta 10',
        type: 'mpo',
        front_ports: [{ position: 1, front_port: front, front_port_position: 3 }],
      },
      { device: { name: 'Switch' }, name: 'Delta 2', type: 'mpo', color: 'ff0000' },
      { device: Switch, name: 'Echo', type: '8p8c', positions: 2, mark_connected: true },
    ],
    patch: label,
    filters: [
      ...byDevice,
      ...byCable,
      { query: 'type=mpo', finds: [0, 1] },
      { query: 'color=ff0000', finds: [1] },
      { query: 'positions=2', finds: [2] },
      { query: 'front_port_id=1', finds: [0] },
      { query: 'front_port_id=null', finds: [1, 2] },
    ],
  },
};
