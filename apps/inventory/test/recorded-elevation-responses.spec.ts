import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser } from './support/permitted-user.js';
import { readRecording, Replay } from './support/replay-recorded-requests.js';

/**
 * Regular expressions of intended differences between the responses of this service and those of the reference server.
 */
const onPurpose: readonly RegExp[] = [
  // Recorded without the texts that describe the endpoint.
  /^OPTIONS .*\.description: not recorded$/u,
  // The reference counts the new rack in its type; here the response does not.
  /^POST \/api\/dcim\/racks\/ \.rack_type\.rack_count: \d, not \d$/u,
  // Here each device of a refused list has its own errors.
  /^POST \/api\/dcim\/devices\/ : \[\{\},\{"position"/u,
  // Names of stored files are unique here as well, but the added characters differ.
  /^PATCH \/api\/dcim\/device-types\/\d+\/ \.(?:front|rear)_image: /u,
  /\.device_hrefs\[1\]: "[^"]*\/media\/devicetype-images\/face/u,
];

const shrunkenType = 'The reference lets a rack type shrink below a mounted device. It is refused with 400 here.';

/**
 * Recorded requests that the test does not replay, by title of the sequence and index of the step. Each entry has the
 * reason.
 */
const skipped: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'devices at whole and half heights, front, rear and full depth': {
    38: 'The reference responds 500 to `highlight` without a colon. It is refused with 400 here.',
    40: 'The reference draws rectangles of negative width. The width is refused with 400 here.',
  },
  'rack with a rack type': { 6: shrunkenType, 7: shrunkenType, 8: shrunkenType, 9: shrunkenType },
  'reservations in the elevation': { 1: 'The superuser of this server has another name.' },
  'device placement errors': { 9: 'The reference adds the message of a second bound to that of the occupied unit.' },
  'utilization in templates (not in the API of racks)': { 9: 'Templates cannot call methods of racks here.' },
};

interface Unit {
  readonly name: string;
  readonly occupied: boolean;
  readonly device: { readonly name: string } | null;
  readonly description: string | null;
}

let test: TestInventory;

beforeAll(async () => {
  test = await startInventory();
});
afterAll(() => test.close());

describe('requests recorded on the reference server: rack elevations', () => {
  let replay: Replay;

  beforeAll(() => {
    replay = new Replay(test, onPurpose);
  });

  it.each(readRecording('4-elevation'))('get the recorded response: $title', async ({ title, steps }) => {
    const found: string[] = [];
    for (const [index, step] of steps.entries()) {
      if (skipped[title]?.[index] !== undefined) continue;
      const differences = await replay.differences(step);
      found.push(...differences.map((difference) => `${index} ${step.method} ${step.path} ${difference}`));
    }
    expect(found).toEqual([]);
  });
});

describe('GET /api/dcim/racks/{id}/elevation/', () => {
  let [rack, type, path] = [0, 0, ''];

  const make = async (collection: string, json: object): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${collection}/`, { json });
    expect([collection, status, body]).toEqual([collection, 201, body]);
    return body.id;
  };

  beforeAll(async () => {
    const site = await make('dcim/sites', { name: 'Elevated', slug: 'elevated' });
    const manufacturer = await make('dcim/manufacturers', { name: 'Elevated', slug: 'elevated' });
    const role = await make('dcim/device-roles', { name: 'Elevated', slug: 'elevated' });
    const half = { manufacturer, model: 'Half', slug: 'half', u_height: 0.5, is_full_depth: false };
    type = await make('dcim/device-types', half);
    rack = await make('dcim/racks', { name: 'Full', site, u_height: 4 });
    path = `/api/dcim/racks/${rack}/elevation/`;
    const devices = Array.from({ length: 8 }, (_, index) => {
      const position = 1 + index / 2;
      return { name: `u${position}`, device_type: type, role, site, rack, position, face: 'front' };
    });
    const made = await test.api.post('/api/dcim/devices/', { json: devices });
    expect(made.status).toBe(201);
  });

  it('reads a completely occupied rack with one SQL statement', async () => {
    const sent = vi.spyOn(test.inventory.database.pool, 'query');
    const { body } = await test.api.get<{ results: Unit[] }>(path);
    const texts = sent.mock.calls.map(([statement]) => String(Object(statement).text ?? statement));
    sent.mockRestore();
    expect(body.results.map(({ device }) => device?.name)).toEqual(body.results.map(({ name }) => name.toLowerCase()));
    expect(texts.filter((text) => text.includes('dcim_'))).toHaveLength(1);
  });

  it('shows devices that the user may not view as occupied, without name', async () => {
    const racks = { types: ['dcim.rack'], actions: ['view'], constraints: null } as const;
    const one = { types: ['dcim.device'], actions: ['view'], constraints: { name: 'u2' } } as const;
    const { api } = await permittedUser(test, racks, one);
    const { body, text } = await api.get<{ results: Unit[] }>(path);
    expect(body.results.every(({ occupied }) => occupied)).toBe(true);
    expect(body.results.flatMap(({ description }) => description ?? [])).toEqual(['u2']);
    expect(text).not.toContain('u3');
  });

  it('responds 404 for a rack that the permission excludes, and 403 without permission', async () => {
    const other = { types: ['dcim.rack'], actions: ['view'], constraints: { name: 'Other' } } as const;
    const { api } = await permittedUser(test, other);
    expect(await api.get(path)).toMatchObject({ status: 404, body: { detail: 'No Rack matches the given query.' } });
    await test.asPlainUser(async (plain) => expect((await plain.get(path)).status).toBe(403));
    expect((await test.stranger.get(path)).status).toBe(403);
  });

  it('responds 304 to a request with the entity tag of the last response until the rack changes', async () => {
    const etag = String((await test.api.get(path)).headers['etag']);
    const headers = { 'if-none-match': etag };
    expect((await test.api.get(path, { headers })).status).toBe(304);
    await test.api.patch(`/api/dcim/racks/${rack}/`, { json: { u_height: 5 } });
    expect((await test.api.get(path, { headers })).status).toBe(200);
  });

  it.each([
    ['unit_width', '1000000000', 'Ensure this value is less than or equal to 10000.'],
    ['unit_height', '-1', 'Ensure this value is greater than or equal to 0.'],
    ['highlight', 'plain', 'Enter an attribute and a value, separated by a colon.'],
    ['legend_width', '1e9', 'A valid integer is required.'],
    ['exclude', '99999999999999999999', 'A valid integer is required.'],
  ])('responds 400 to %s=%s', async (name, value, message) => {
    const { status, body } = await test.api.get(path, { query: { [name]: value } });
    expect([status, body]).toEqual([400, { [name]: [message] }]);
  });

  it('draws the rack with escaped texts, and with links only to this service', async () => {
    const name = `<script>alert("1")</script>&'`;
    const { body } = await test.api.get<{ results: { id: number }[] }>('/api/dcim/devices/', { query: { name: 'u1' } });
    const id = body.results[0]?.id;
    await test.api.patch(`/api/dcim/devices/${id}/`, { json: { name, description: '\u0001 ]]> <b>' } });
    const { headers, text } = await test.api.get(path, { query: { render: 'svg', unit_width: 400 } });
    expect(headers).toMatchObject({ 'content-type': 'image/svg+xml', 'x-content-type-options': 'nosniff' });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;');
    expect(text).toContain('\u{FFFD} ]]&gt; &lt;b&gt;');
    expect(text).not.toContain('<script');
    const addresses = [...text.matchAll(/href="(?<address>[^"]*)"/gu)].map(({ groups }) => groups?.['address'] ?? '');
    const own = /^(?:http:\/\/localhost(?::\d+)?)?\/dcim\//u;
    expect(addresses.filter((address) => !own.test(address))).toEqual([]);
  });

  it('draws devices and reservations that the user may not view without their text', async () => {
    const reserved = { rack, units: [5], user: test.adminId, description: 'secret plan' };
    await make('dcim/rack-reservations', reserved);
    const racks = { types: ['dcim.rack'], actions: ['view'], constraints: null } as const;
    const { api } = await permittedUser(test, racks);
    const { text } = await api.get(path, { query: { render: 'svg' } });
    expect(text.match(/class="blocked"/gu)).toHaveLength(8);
    expect(text.match(/class="reservation"/gu)).toHaveLength(1);
    expect(text).not.toMatch(/secret plan|Elevated|<title>/u);
  });

  it.each([
    ['name:u2', 7],
    ['device_type_id:{type}', 0],
    ['status:active', 0],
    ['name:nothing', 0],
    ['constructor:x', 0],
  ])('shades the devices that highlight=%s does not match', async (highlight, count) => {
    const query = { render: 'svg', highlight: highlight.replace('{type}', String(type)) };
    const { text } = await test.api.get(path, { query });
    expect(text.match(/class="slot shaded"/gu) ?? []).toHaveLength(count);
  });

  it('responds 304 to a request with the entity tag of the drawing', async () => {
    const query = { render: 'svg' };
    const { headers } = await test.api.get(path, { query });
    const again = await test.api.get(path, { query, headers: { 'if-none-match': String(headers['etag']) } });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});
