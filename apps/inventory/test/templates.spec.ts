import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InProcessApiClient } from '@switchboard/testing';
import { startInventory, type TestInventory } from './support/test-service.js';

type Made = { readonly id: number };

let test: TestInventory;
let made: Record<string, number>;

beforeAll(async () => {
  // Larger exports are stored in a file. The time limit is the default.
  test = await startInventory({ RESPONSE_IN_MEMORY_BYTES: '50000', TEMPLATE_TIMEOUT_MS: '100' });
  made = await prepare(test.api);
});
afterAll(() => test.close());

const templates = {
  lines: {
    template_code:
      '{% for s in queryset %}{{ s.name }},{{ s.status }},{{ s.tenant }},{{ s.tenant.slug }}\r\n{% endfor %}',
  },
  shown: { template_code: '{{ queryset|length }}', as_attachment: false, mime_type: 'text/csv' },
  named: { template_code: 'x', file_name: 'all "sites"\n', file_extension: 'cfg' },
  foreign: { template_code: 'x', file_name: 'Plätze' },
  broken: { template_code: '{{ nothing.name }}' },
  unread: { template_code: '{% if %}' },
  endless: { template_code: '{% for a in range(99999) %}{{ "x" * 100 }}{% endfor %}' },
  escaping: { template_code: '{{ queryset.constructor }}' },
  trimmed: { template_code: '{% if true %}\nx\n{% endif %}', environment_params: { trim_blocks: true } },
  page: { template_code: '<script>', as_attachment: false, mime_type: 'text/html\r\nset-cookie: a=b' },
};

async function prepare(api: InProcessApiClient): Promise<Record<string, number>> {
  const ids: Record<string, number> = {};
  const post = async (name: string, path: string, json: object): Promise<void> => {
    ids[name] = (await api.post<Made>(path, { json })).body.id;
  };
  await post('tenant', '/api/tenancy/tenants/', { name: 'Acme', slug: 'acme' });
  for (const [index, name] of ['Delta', 'Echo', 'Foxtrot'].entries()) {
    const tenant = index === 0 ? ids['tenant'] : null;
    await post(name, '/api/dcim/sites/', { name, slug: name.toLowerCase(), tenant, status: 'planned' });
  }
  for (const [name, rest] of Object.entries(templates)) {
    await post(name, '/api/extras/export-templates/', { name, object_types: ['dcim.site'], ...rest });
  }
  await post('maker', '/api/dcim/manufacturers/', { name: 'Maker', slug: 'maker' });
  await post('type', '/api/dcim/device-types/', { manufacturer: ids['maker'], model: 'M1', slug: 'm1' });
  const config = (name: string, template_code: string): Promise<void> =>
    post(name, '/api/extras/config-templates/', { name, template_code });
  await config(
    'own',
    'own {{ device.name }} {{ device.site }} {{ device and device.site.slug }} {{ ntp|join(" ") }} {{ extra }}',
  );
  await config('ofRole', 'role {{ device.role if device is defined else virtualmachine.name }}');
  await config('plain', '{{ extra }} {{ ntp|length }}');
  await config('failing', '{{ x.y }}');
  const role = { name: 'Router', slug: 'router', config_template: ids['ofRole'] };
  await post('role', '/api/dcim/device-roles/', role);
  await post('bare', '/api/dcim/device-roles/', { name: 'Bare', slug: 'bare' });
  const device = { device_type: ids['type'], site: ids['Delta'], role: ids['role'] };
  const context = { local_context_data: { ntp: ['10.0.0.1', '10.0.0.2'], extra: 'context' } };
  await post('device', '/api/dcim/devices/', { ...device, ...context, name: 'r1', config_template: ids['own'] });
  await post('byRole', '/api/dcim/devices/', { ...device, name: 'r2' });
  await post('without', '/api/dcim/devices/', { ...device, name: 'r3', role: ids['bare'] });
  await post('machine', '/api/virtualization/virtual-machines/', {
    name: 'vm1',
    site: ids['Delta'],
    role: ids['role'],
  });
  return ids;
}

const exported = (name: string, rest = '') => test.api.get<string>(`/api/dcim/sites/?export=${name}${rest}`);

const tagTemplates = {
  loop: '{% for t in queryset %}{{ loop.index }}/{{ loop.length }} {{ t.name }} {{ loop.nextitem.name if not loop.last }}\r\n{% endfor %}',
  odd: '{% for t in queryset if t.id is odd %}{{ loop.index }}{% if loop.first %} of {{ queryset|length }}{% endif %}\n{% else %}none{% endfor %}',
  twice:
    '{{ queryset|first }} {{ queryset[0].slug }}{% for t in queryset.all() %}{% endfor %}{% for t in queryset %}{{ t.id }} {% endfor %}',
  sorted: '{% for t in queryset|sort(attribute="name", reverse=true) %}{{ t.name }}\n{% endfor %}',
  grouped: '{% for group in queryset|groupby("color") %}{{ group.grouper }}{% endfor %}',
  nested: '{% for t in queryset %}{% for u in queryset %}{% endfor %}{% endfor %}',
  end: '{{ queryset[-1] }}',
  many: '{% for t in queryset %}{{ t.name }} {{ t.display|upper }} {{ t.url|length }}\n{% endfor %}',
};

describe('GET ?export= of a list of more than 1,000 objects', () => {
  const tags = (name: string, rest = '') => test.api.get<string>(`/api/extras/tags/?export=${name}${rest}`);
  const refusal =
    "TemplateRuntimeError: A list of 1203 objects is read in parts: use 'for' outside of macros, 'length' or 'first', or narrow the list by filters";
  const name = (index: number): string => `t${String(index).padStart(4, '0')}`;

  beforeAll(async () => {
    await test.inventory.database.query(
      `INSERT INTO extras_tag (name, slug, color, description, weight, created, last_updated)
        SELECT 't' || lpad(n::text, 4, '0'), 't' || n, '9e9e9e', '', 1000, now(), now() FROM generate_series(1, 1203) n`,
    );
    await test.inventory.database.query('ANALYZE extras_tag');
    for (const [template, template_code] of Object.entries(tagTemplates)) {
      const body = { name: template, object_types: ['extras.tag'], template_code };
      await test.api.post('/api/extras/export-templates/', { json: body });
    }
  });

  it('renders the template once for all objects, in the order of the list', async () => {
    const { status, text } = await tags('loop', '&ordering=name');
    const lines = Array.from({ length: 1203 }, (_, index) => {
      const next = index === 1202 ? '' : name(index + 2);
      return `${index + 1}/1203 ${name(index + 1)} ${next}\n`;
    });
    expect([status, text]).toEqual([200, lines.join('')]);
    await expect.poll(() => test.inventory.responses.storedBytes).toBe(0);
  });

  it('supports conditions, length, first and several loops', async () => {
    expect((await tags('odd', '&ordering=name')).text).toMatch(/^1 of 1203\n2\n(.*\n)*60[12]\n$/);
    expect((await tags('odd', '&id=0')).text).toBe('none');
    const words = (await tags('twice', '&ordering=name')).text.split(' ');
    expect([words[0], words[1]?.slice(0, 2), words.length]).toEqual(['t0001', 't1', 1203 + 2]);
  });

  it.each(['sorted', 'grouped', 'nested', 'end'])(
    'responds 400 to a template that needs all objects at the same time: %s',
    async (template) => {
      const { status, body } = await test.api.get<{ detail: string }>(`/api/extras/tags/?export=${template}`);
      expect([status, body.detail]).toEqual([400, refusal]);
      await expect.poll(() => test.inventory.responses.storedBytes).toBe(0);
    },
  );

  it('renders a template that needs all objects at the same time when the filters match 1,000 objects', async () => {
    const { status, text } = await tags('sorted', '&limit=5&id__lte=1000');
    const lines = text.split('\n').slice(0, -1);
    expect([status, lines.length]).toEqual([200, 1000]);
    expect(lines).toEqual(lines.toSorted().toReversed());
  });

  it('renders 10,000 objects while another thread of the process is busy', async () => {
    await test.inventory.database.query(
      `INSERT INTO extras_tag (name, slug, color, description, weight, created, last_updated)
        SELECT 'u' || n, 'u' || n, '9e9e9e', '', 1000, now(), now() FROM generate_series(1, 8797) n`,
    );
    const worker = new Worker('for (;;);', { eval: true });
    try {
      const { status, text } = await tags('many');
      expect([status, text.split('\n').length]).toEqual([200, 10_001]);
    } finally {
      await worker.terminate();
    }
  });
});

describe('GET of a list with ?export=', () => {
  it('renders all objects with related names, ignoring limit and fields', async () => {
    const { status, text, headers } = await exported('lines', '&limit=1&fields=id');
    expect(status).toBe(200);
    expect(text).toBe('Delta,planned,Acme,acme\nEcho,planned,None,\nFoxtrot,planned,None,\n');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(headers['content-disposition']).toBe('attachment; filename="netbox_sites"');
    expect(headers).toMatchObject({ 'api-version': '4.6', 'content-security-policy': 'sandbox' });
  });

  it('applies the filters and the ordering of the list', async () => {
    expect((await exported('lines', '&slug=echo&slug=delta&ordering=-name')).text).toMatch(/^Echo,.*\nDelta,/);
    expect((await exported('lines', '&tenant=nobody')).status).toBe(400);
  });

  it('sends the media type and file name of the template', async () => {
    const shown = await exported('shown');
    expect([shown.text, shown.headers['content-type'], shown.headers['content-disposition']]).toEqual([
      '3',
      'text/csv',
      undefined,
    ]);
    expect((await exported('named')).headers['content-disposition']).toBe('attachment; filename="all _sites_.cfg"');
    expect((await exported('foreign')).headers['content-disposition']).toBe(
      `attachment; filename="Pl_tze"; filename*=UTF-8''Pl%C3%A4tze`,
    );
    expect((await exported('trimmed')).text).toBe('x\n');
    const page = await exported('page');
    expect([page.headers['content-type'], page.headers['set-cookie']]).toEqual([
      'text/plain; charset=utf-8',
      undefined,
    ]);
  });

  it('responds 404 for a nonexistent template, and for a template of another model', async () => {
    for (const path of [
      '/api/dcim/sites/?export=nothing',
      '/api/dcim/sites/?export=',
      '/api/dcim/racks/?export=lines',
    ]) {
      expect(await test.api.get(path)).toMatchObject({ status: 404, body: { detail: 'Not found.' } });
    }
  });

  it.each([
    ['broken', "UndefinedError: 'nothing' is undefined"],
    ['unread', 'TemplateSyntaxError: expected an expression, got the end (line 1)'],
    ['endless', 'TemplateLimitError: The template writes more than 1048576 bytes'],
    ['escaping', "SecurityError: access to attribute 'constructor' of 'list' object is unsafe."],
  ])('responds 400 with the error of the template %s', async (name, detail) => {
    expect(await exported(name)).toMatchObject({ status: 400, body: { detail } });
  });

  it('requires permission to view the list and the template', async () => {
    const { body: user } = await test.api.post<Made>('/api/users/users/', {
      json: { username: 'ann', password: 'Twelve chars 1' },
    });
    const ann = await test.clientOf(user.id);
    expect((await ann.get('/api/dcim/sites/?export=lines')).status).toBe(403);
    const may = (name: string, object_types: string[], constraints: object | null) =>
      test.api.post('/api/users/permissions/', {
        json: { name, object_types, actions: ['view'], constraints, users: [user.id] },
      });
    await may('sites', ['dcim.site'], { slug: 'echo' });
    expect((await ann.get('/api/dcim/sites/?export=lines')).status).toBe(404);
    await may('templates', ['extras.exporttemplate'], { name: 'lines' });
    expect((await ann.get('/api/dcim/sites/?export=lines')).text).toBe('Echo,planned,None,\n');
    expect((await ann.get('/api/dcim/sites/?export=shown')).status).toBe(404);
  });

  it('rejects the names of built-in export formats', async () => {
    const json = { name: 'Table', object_types: ['dcim.site'], template_code: 'x' };
    const { status, body } = await test.api.post('/api/extras/export-templates/', { json });
    expect([status, body]).toEqual([400, { name: ['"Table" is a reserved name. Please choose a different name.'] }]);
  });
});

const render = (name: string, json: object = {}, query = '', headers = {}) =>
  test.api.post<Record<string, unknown>>(`/api/dcim/devices/${made[name]}/render-config/${query}`, { json, headers });

describe('POST /api/dcim/devices/{id}/render-config/', () => {
  it("renders the device's template with its config context, fields of the body and the device", async () => {
    const { status, body } = await render('device', { device: 'forged' });
    expect(status).toBe(200);
    expect(body).toEqual({
      configtemplate: {
        id: made['own'],
        url: `http://localhost/api/extras/config-templates/${made['own']}/`,
        display: 'own',
        name: 'own',
        description: '',
      },
      content: 'own r1 Delta delta 10.0.0.1 10.0.0.2 context',
    });
    expect((await render('device', { extra: 'sent' })).body['content']).toBe(
      'own r1 Delta delta 10.0.0.1 10.0.0.2 sent',
    );
  });

  it('renders the template named in the body, or else the template of the device or its role', async () => {
    expect((await render('byRole')).body['content']).toBe('role Router');
    expect((await render('byRole', { config_template_id: made['own'] })).body['content']).toBe('own r2 Delta delta  ');
    const machine = await test.api.post<Record<string, unknown>>(
      `/api/virtualization/virtual-machines/${made['machine']}/render-config/`,
    );
    expect(machine.body['content']).toBe('role vm1');
  });

  it('responds 400 without a template', async () => {
    expect(await render('without')).toMatchObject({
      status: 400,
      body: { error: 'No config template found for this device.' },
    });
    expect(await render('device', { config_template_id: 9999 })).toMatchObject({
      status: 400,
      body: { error: 'Config template with ID 9999 not found.' },
    });
  });

  it('responds 400 to a body that is not an object', async () => {
    expect((await test.api.post(`/api/dcim/devices/${made['device']}/render-config/`, { json: [] })).status).toBe(400);
  });

  it('responds 404 for an unknown device', async () => {
    expect(await test.api.post('/api/dcim/devices/9999/render-config/')).toMatchObject({
      status: 404,
      body: { detail: 'No Device matches the given query.' },
    });
  });

  it('responds 500 with the error of the template', async () => {
    const json = { config_template_id: made['failing'] };
    expect(await render('device', json)).toMatchObject({
      status: 500,
      body: { detail: "UndefinedError: 'x' is undefined" },
    });
    const asText = await render('device', json, '?format=txt');
    expect([asText.status, asText.text]).toEqual([500, "UndefinedError: 'x' is undefined"]);
  });

  it('returns text/plain for Accept: text/plain and ?format=txt', async () => {
    for (const [query, headers] of [
      ['', { accept: 'text/plain' }],
      ['?format=txt', {}],
    ] as const) {
      const { text, headers: sent } = await render('byRole', {}, query, headers);
      expect([text, sent['content-type']]).toEqual(['role Router', 'text/plain; charset=utf-8']);
    }
  });

  it('responds 404 to ?format=txt for a list', async () => {
    expect((await test.api.get(`/api/dcim/sites/?format=txt`, { unchecked: true })).status).toBe(404);
  });
});

describe('POST /api/extras/config-templates/{id}/render/', () => {
  const path = (name: string): string => `/api/extras/config-templates/${made[name]}/render/`;

  it('renders the template with any values', async () => {
    const { body } = await test.api.post<Record<string, unknown>>(path('plain'), {
      json: { extra: { a: [1] }, ntp: [] },
    });
    expect(body).toMatchObject({ configtemplate: { id: made['plain'] }, content: "{'a': [1]} 0" });
  });

  it('returns text/plain for Accept: text/plain', async () => {
    const { text } = await test.api.post(path('ofRole'), {
      json: { device: { role: 'x' } },
      headers: { accept: 'text/plain' },
    });
    expect(text).toBe('role x');
  });

  it('allows OPTIONS and POST only', async () => {
    expect((await test.api.get(path('plain'), { unchecked: true })).headers['allow']).toBe('OPTIONS, POST');
    expect((await test.api.request('OPTIONS', path('plain'))).status).toBe(200);
  });
});

describe('POST /api/…/render-config/ and /render/ without permission', () => {
  let userId = 0;
  let bob: InProcessApiClient;
  const device = (): string => `/api/dcim/devices/${made['device']}/render-config/`;
  const grant = (actions: string[], constraints: object | null = null) =>
    test.api.post('/api/users/permissions/', {
      json: {
        name: actions.join(),
        object_types: ['dcim.device', 'extras.configtemplate'],
        actions,
        constraints,
        users: [userId],
      },
    });

  beforeAll(async () => {
    const { body: user } = await test.api.post<Made>('/api/users/users/', {
      json: { username: 'bob', password: 'Twelve chars 1' },
    });
    userId = user.id;
    bob = await test.clientOf(userId);
    await grant(['view']);
  });

  it('responds 404 without render_config permission for the device', async () => {
    expect((await bob.post(device())).status).toBe(404);
    await grant(['render_config'], { name: 'r2' });
    expect((await bob.post(device())).status).toBe(404);
    expect((await bob.post(`/api/dcim/devices/${made['byRole']}/render-config/`)).status).toBe(200);
  });

  it('responds 404 without render permission for the config template', async () => {
    expect((await bob.post(`/api/extras/config-templates/${made['own']}/render/`)).status).toBe(404);
    await grant(['render']);
    expect((await bob.post(`/api/extras/config-templates/${made['plain']}/render/`)).status).toBe(200);
  });

  it('responds 403 to a read-only token', async () => {
    const { body: token } = await test.api.post<{ token: string; key: string }>('/api/users/tokens/', {
      json: { user: test.adminId, write_enabled: false },
    });
    const reader = test.stranger.withHeaders({ authorization: `Bearer nbt_${token.key}.${token.token}` });
    expect(await reader.post(device())).toMatchObject({
      status: 403,
      body: { detail: 'You do not have permission to perform this action.' },
    });
  });

  it('responds 403 without credentials', async () => {
    expect((await test.stranger.post(device())).status).toBe(403);
  });
});
