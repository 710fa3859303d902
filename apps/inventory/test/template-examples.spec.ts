import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relatedLoadLimits } from '../src/modules/templates/related/related-load-limits.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Made = { readonly id: number };

const folder = new URL('templates/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const all = readdirSync(folder).filter((name) => name.endsWith('.j2'));

let test: TestInventory;
let deviceId: number;

beforeAll(async () => {
  test = await startInventory();
  // Statements take long on a busy machine.
  relatedLoadLimits.ms = 60_000;
  deviceId = await prepare();
});
afterAll(() => test.close());

const post = async (path: string, json: object): Promise<number> =>
  (await test.api.post<Made>(`/api/${path}/`, { json })).body.id;
const patch = (path: string, json: object) => test.api.patch(`/api/${path}/`, { json });

/** Creates two switches that are connected with each other. Returns the id of the first switch. */
async function prepare(): Promise<number> {
  const region = await post('dcim/regions', { name: 'Norvale', slug: 'norvale' });
  const site = await post('dcim/sites', { name: 'Quillmoor', slug: 'quillmoor', region });
  const manufacturer = await post('dcim/manufacturers', { name: 'Orbweave', slug: 'orbweave' });
  const device_type = await post('dcim/device-types', { manufacturer, model: 'Plainbox 1', slug: 'plainbox-1' });
  const role = await post('dcim/device-roles', { name: 'Access', slug: 'access' });
  const core = await post('dcim/device-roles', { name: 'Core', slug: 'core' });
  const platform = await post('dcim/platforms', { name: 'LoomOS', slug: 'loomos' });
  const tag = await post('extras/tags', { name: 'Woven', slug: 'woven' });
  await post('extras/custom-fields', { name: 'contact', type: 'text', object_types: ['dcim.device'] });
  await post('extras/config-contexts', {
    name: 'time',
    sites: [site],
    data: { ntp_servers: ['192.0.2.1', '192.0.2.2'] },
  });
  const shared = { device_type, site };
  const first = await post('dcim/devices', { ...shared, name: 'shuttle-1', role, platform, tags: [tag] });
  const second = await post('dcim/devices', { ...shared, name: 'shuttle-2', role: core, status: 'planned' });
  const vlans = [
    await post('ipam/vlans', { vid: 10, name: 'WARP', site }),
    await post('ipam/vlans', { vid: 20, name: 'WEFT', site }),
  ];
  const vrf = await post('ipam/vrfs', { name: 'loom' });
  const port = (device: number, name: string, more: object = {}) =>
    post('dcim/interfaces', { device, name, type: '1000base-t', ...more });
  const lag = await port(first, 'Port-Channel1', { type: 'lag' });
  const eth = [
    await port(first, 'Ethernet1', { lag, mtu: 9000, description: 'uplink' }),
    await port(first, 'Ethernet2', { mode: 'access', untagged_vlan: vlans[0], enabled: false }),
    await port(first, 'Ethernet10', { mode: 'tagged', tagged_vlans: vlans }),
  ];
  const peer = await port(second, 'Ethernet1');
  const address = (value: string, on: number, more: object = {}) =>
    post('ipam/ip-addresses', {
      address: value,
      assigned_object_type: 'dcim.interface',
      assigned_object_id: on,
      ...more,
    });
  const primary = await address('192.0.2.10/24', lag);
  await address('2001:db8::10/64', lag);
  await address('198.51.100.7/31', eth[2] ?? 0, { vrf });
  await patch(`dcim/devices/${first}`, { primary_ip4: primary });
  await patch(`dcim/devices/${second}`, { primary_ip4: await address('192.0.2.11/24', peer) });
  const end = (id: number) => [{ object_type: 'dcim.interface', object_id: id }];
  await post('dcim/cables', { a_terminations: end(eth[0] ?? 0), b_terminations: end(peer) });
  return first;
}

const environment_params = { trim_blocks: true, lstrip_blocks: true };

/** Renders the configuration of the first switch with a template. Returns the rendered text. */
async function configured(template_code: string): Promise<string> {
  const config_template_id = await post('extras/config-templates', { name: 'x', template_code, environment_params });
  const path = `/api/dcim/devices/${deviceId}/render-config/`;
  const { body } = await test.api.post<{ content: string; detail: string }>(path, { json: { config_template_id } });
  return body.content ?? body.detail;
}

/** Renders a list of the two switches with an export template. Returns the rendered text. */
async function exported(name: string, template_code: string): Promise<string> {
  const object_types = ['dcim.device'];
  await post('extras/export-templates', { name, object_types, template_code, environment_params });
  return (await test.api.get<string>(`/api/dcim/devices/?export=${name}`)).text;
}

describe('config and export templates of network teams', () => {
  it.each(all)('renders %s', async (file) => {
    const code = read(file);
    const text = await (file.includes('.export.') ? exported(file, code) : configured(code));
    expect(text.trimEnd()).toBe(read(file.replace('.j2', '.txt')).trimEnd());
  });
});
