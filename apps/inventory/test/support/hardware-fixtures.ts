import type { Fixture } from './describe-model.js';
import { picture } from './create-object-by-api.js';
import { deviceIn, deviceSurroundings } from './device-fixtures.js';

/** Fixtures (test data) of MAC addresses and of pictures. */
export const hardwareFixtures: Readonly<Record<string, Fixture>> = {
  'dcim.macaddress': {
    surroundings: [
      ...deviceSurroundings,
      deviceIn('Switch 1'),
      {
        name: 'eth0',
        path: '/api/dcim/interfaces/',
        body: { device: { name: 'Switch 1' }, name: 'eth0', type: '1000base-t' },
      },
      {
        name: 'machine',
        path: '/api/virtualization/virtual-machines/',
        body: { name: 'VM 1', site: { slug: 'amsterdam' } },
      },
      {
        name: 'veth0',
        path: '/api/virtualization/interfaces/',
        body: { virtual_machine: { name: 'VM 1' }, name: 'veth0' },
      },
    ],
    create: ({ eth0, veth0 }) => [
      { mac_address: '00-1b-44-11-3a-b7', assigned_object_type: 'dcim.interface', assigned_object_id: eth0 },
      { mac_address: '001b.4411.3ab8', assigned_object_type: 'virtualization.vminterface', assigned_object_id: veth0 },
      { mac_address: 'aabbccddeeff', description: 'spare' },
    ],
    patch: { body: { mac_address: '0:1:2:3:4:5' }, shown: { mac_address: '00:01:02:03:04:05' } },
    filters: [
      { query: 'mac_address=001b44113ab7&mac_address=nonsense', finds: [0] },
      { query: 'mac_address=nonsense', finds: [] },
      { query: 'mac_address__isw=00:1B', finds: [0, 1] },
      { query: 'mac_address__nic=44:11', finds: [2] },
      { query: 'mac_address__iew=ff', finds: [2] },
      { query: 'q=3a:b', finds: [0, 1] },
      { query: 'device=Switch%201', finds: [0] },
      { query: 'device=Nowhere', finds: [] },
      { query: 'device_id=1&device_id=99', finds: [0] },
      { query: 'virtual_machine=VM%201', finds: [1] },
      { query: 'virtual_machine_id=1', finds: [1] },
      { query: 'interface=eth0', finds: [0] },
      { query: 'interface_id=null', finds: [1, 2] },
      { query: 'interface_id=1', finds: [0] },
      { query: 'interface__n=eth0', finds: [1, 2] },
      { query: 'vminterface=veth0', finds: [1] },
      { query: 'vminterface_id=1', finds: [1] },
      { query: 'assigned=false', finds: [2] },
      { query: 'assigned=true', finds: [0, 1] },
      { query: 'primary=true', finds: [] },
    ],
  },
  'extras.imageattachment': {
    surroundings: [
      { name: 'site', path: '/api/dcim/sites/', body: { name: 'Amsterdam', slug: 'amsterdam' } },
      { name: 'location', path: '/api/dcim/locations/', body: { name: 'Hall', slug: 'hall', site: 1 } },
    ],
    create: ({ site, location }) => [
      { object_type: 'dcim.site', object_id: site, name: 'Front door', image: picture('door.png') },
      { object_type: 'dcim.location', object_id: location, description: 'x', image: picture('hall 1.png') },
      { object_type: 'dcim.site', object_id: site, image: picture('Back.PNG') },
    ],
    patch: { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed' } },
    filters: [
      { query: 'name=Front%20door', finds: [0] },
      { query: 'object_type=dcim.site', finds: [0, 2] },
      { query: 'object_id=1&object_type=dcim.location', finds: [1] },
      { query: 'image_width=1', finds: [0, 1, 2] },
      { query: 'image_height__gt=1', finds: [] },
      { query: 'image_size__lt=1000', finds: [0, 1, 2] },
      { query: 'q=hall_1', finds: [1] },
    ],
  },
};
