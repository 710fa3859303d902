import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InProcessApiClient } from '@switchboard/testing';
import { relatedLoadLimits } from '../src/modules/templates/related/related-load-limits.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser } from './support/permitted-user.js';

type Made = { readonly id: number };

const files: Readonly<Record<string, string | Buffer>> = {
  'main.j2':
    '{% extends "base.j2" %}{% from "macros/ports.j2" import port %}{% block ports %}{% for i in device.interfaces.all() %}{{ port(i) }}{% endfor %}{% endblock %}',
  'base.j2': 'hostname {{ device.name }}{% block ports %}{% endblock %}{% include ["site/ntp.j2", "ntp.j2"] %}',
  'macros/ports.j2': '{% macro port(i) %} [{{ i.name }} {{ i.mtu }} {{ i.label }}]{% endmacro %}',
  'ntp.j2': ' ntp {{ dcim.Site.objects.count() }}',
  'ring.j2': '{% include "ring.j2" %}',
  'broken.j2': 'x\n{% if %}',
  'picture.png': Buffer.from([0xff, 0xfe, 0x00]),
  'lines.j2': '{% for d in queryset %}{% include "line.j2" %}{% endfor %}',
  'line.j2': '{{ d.name }}={{ d.interfaces.count() }};',
};

let test: TestInventory;
let device: number;
const fileIds = new Map<string, number>();

beforeAll(async () => {
  test = await startInventory();
  // Statements take long on a busy machine.
  relatedLoadLimits.ms = 60_000;
  device = await prepare();
});
afterAll(() => test.close());

const post = async (path: string, json: object): Promise<number> =>
  (await test.api.post<Made>(`/api/${path}/`, { json })).body.id;

/** Creates a device with two interfaces, and two data sources with files. Returns the id of the device. */
async function prepare(): Promise<number> {
  const site = await post('dcim/sites', { name: 'Quillmoor', slug: 'quillmoor' });
  const manufacturer = await post('dcim/manufacturers', { name: 'Orbweave', slug: 'orbweave' });
  const device_type = await post('dcim/device-types', { manufacturer, model: 'Plainbox', slug: 'plainbox' });
  const role = await post('dcim/device-roles', { name: 'Lattice', slug: 'lattice' });
  const made = await post('dcim/devices', { name: 'shuttle-1', site, device_type, role });
  for (const name of ['eth0', 'eth1']) await post('dcim/interfaces', { device: made, name, type: 'other', mtu: 9000 });
  await addSource('templates', files);
  await addSource('other', { 'secret.j2': 'of another source' });
  return made;
}

async function addSource(name: string, contents: typeof files): Promise<void> {
  const source = await post('core/data-sources', { name, type: 'local', source_url: `/nowhere/${name}` });
  for (const [path, content] of Object.entries(contents)) {
    const data = Buffer.from(content);
    const { rows } = await test.inventory.database.query<Made>(
      `INSERT INTO core_datafile (source_id, path, size, hash, data, created, last_updated)
        VALUES ($1, $2, $3, repeat('0', 64), $4, now(), now()) RETURNING id::int`,
      [source, path, data.length, data],
    );
    fileIds.set(path, rows[0]?.id ?? 0);
  }
}

/** Renders a data file as the config template of the device. Returns the rendered text, or the error message. */
async function render(path: string, client: InProcessApiClient = test.api): Promise<string> {
  const data_file = fileIds.get(path);
  return renderCode(await post('extras/config-templates', { name: path, template_code: 'x', data_file }), client);
}

async function renderCode(config_template_id: number, client: InProcessApiClient = test.api): Promise<string> {
  const { body } = await client.post<{ content?: string; detail?: string }>(
    `/api/dcim/devices/${device}/render-config/`,
    {
      json: { config_template_id },
    },
  );
  return String(body.content ?? body.detail);
}

describe('POST render-config with a template from a data file', () => {
  it('extends, imports and includes files of the same data source', async () => {
    expect(await render('main.j2')).toBe('hostname shuttle-1 [eth0 9000 ] [eth1 9000 ] ntp 1');
  });

  it('requires no permission to view the data files', async () => {
    const { api } = await permittedUser(
      test,
      { types: ['dcim.device'], actions: ['view', 'render_config'], constraints: null },
      { types: ['extras.configtemplate', 'dcim.interface'], actions: ['view'], constraints: null },
    );
    expect(await render('main.j2', api)).toBe('hostname shuttle-1 [eth0 9000 ] [eth1 9000 ] ntp 0');
  });

  it.each([
    ['ring.j2', "TemplateRuntimeError: The template 'ring.j2' includes, imports or extends itself"],
    ['broken.j2', /^TemplateSyntaxError: .*\(line 2\)$/],
  ])('responds 500 to %s', async (path, detail) => {
    expect(await render(path)).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
  });

  it.each([
    ['nowhere.j2', 'TemplateNotFound: nowhere.j2'],
    ['secret.j2', 'TemplateNotFound: secret.j2'],
    ['picture.png', 'TemplateRuntimeError: picture.png is not text in UTF-8'],
    ['broken.j2', /^TemplateSyntaxError: broken\.j2: .*\(line 2\)$/],
  ])('responds 500 to an include of %s', async (name, detail) => {
    const id = await post('extras/config-templates', { name, template_code: 'x', data_file: fileIds.get('ntp.j2') });
    await test.api.patch(`/api/extras/config-templates/${id}/`, { json: { template_code: `{% include "${name}" %}` } });
    expect(await renderCode(id)).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
  });

  it('includes no files if the template has no data file', async () => {
    const id = await post('extras/config-templates', { name: 'bare', template_code: '{% include "ntp.j2" %}' });
    expect(await renderCode(id)).toBe('TemplateNotFound: ntp.j2');
  });

  it('counts included files towards the limits on SQL statements and bytes', async () => {
    const before = { ...relatedLoadLimits };
    try {
      relatedLoadLimits.statements = 3;
      expect(await render('main.j2')).toBe('TemplateLimitError: The template needs more than 3 statements');
      Object.assign(relatedLoadLimits, before, { bytes: 100 });
      expect(await render('main.j2')).toBe(
        'TemplateLimitError: The template needs related objects of more than 100 bytes',
      );
    } finally {
      Object.assign(relatedLoadLimits, before);
    }
  });
});

describe('GET ?export= with a template from a data file', () => {
  it('includes files of the same data source', async () => {
    const id = await post('extras/export-templates', {
      name: 'lines',
      object_types: ['dcim.device'],
      template_code: String(files['lines.j2']),
    });
    await test.inventory.database.query('UPDATE extras_exporttemplate SET data_file_id = $1 WHERE id = $2', [
      fileIds.get('lines.j2'),
      id,
    ]);
    const { text } = await test.api.get<string>('/api/dcim/devices/?export=lines');
    expect(text).toBe('shuttle-1=2;');
  });
});
