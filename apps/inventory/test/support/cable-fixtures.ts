import type { Fixture } from './describe-model.js';
import { deviceIn, deviceSurroundings } from './device-fixtures.js';

const twoDevices = [...deviceSurroundings, deviceIn('Switch'), deviceIn('Router')];

/** Queries that every component of the device `Switch`, the last two of which are its, answers alike. */
const byDevice: Fixture['filters'] = [
  { query: 'device=Router', finds: [0] },
  { query: 'site=amsterdam', finds: [0, 1, 2] },
  { query: 'device_role=access', finds: [0, 1, 2] },
  { query: 'device_type=Box%201', finds: [0, 1, 2] },
  { query: 'device_status=planned', finds: [] },
  { query: 'device_status=active', finds: [0, 1, 2] },
  { query: 'location_id=null', finds: [0, 1, 2] },
  { query: 'cabled=false', finds: [0, 1, 2] },
  { query: 'occupied=true', finds: [2] },
  { query: 'connected=true', finds: [] },
  { query: 'connected=false', finds: [0, 1, 2] },
  { query: 'cable_connector=1', finds: [] },
  { query: 'cable_end=A', finds: [] },
  { query: 'q=elta', finds: [0, 1] },
];

/** Fixtures of what cables connect, and of cables. */
export const cableFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.consoleport': {
    surroundings: twoDevices,
    create: ({ Router, Switch }) => [
      { device: Router, name: 'Delta 10', type: 'rj-45', speed: 9600 },
      { device: { name: 'Switch' }, name: 'Delta 2', label: 'front' },
      { device: Switch, name: 'Echo', mark_connected: true },
    ],
    patch: {
      body: { label: 'back' },
      shown: { label: 'back', display: 'Delta 10 (back)', link_peers: [], link_peers_type: null, _occupied: false },
    },
    filters: [...byDevice, { query: 'speed=9600', finds: [0] }, { query: 'type=rj-45', finds: [0] }],
  },
};
