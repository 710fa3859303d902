import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { InProcessApiClient } from '@switchboard/testing';
import { maxConcurrentRenderings } from '../src/http/rendering-queue.js';
import { modelRegistry } from '../src/models/index.js';
import { templateRelationNames } from '../src/modules/templates/related/relation-names.js';
import { ModelRelationFinder } from '../src/modules/templates/related/find-relations.js';
import { relatedLoadLimits, longExportLimitFactor } from '../src/modules/templates/related/related-load-limits.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser } from './support/permitted-user.js';

type Made = { readonly id: number };
type Rendered = { readonly content: string; readonly detail: string };

let test: TestInventory;
let ids: Record<string, number>;

beforeAll(async () => {
  test = await startInventory();
  // Statements take long on a busy machine.
  relatedLoadLimits.ms = 60_000;
  ids = await prepare();
});
afterAll(() => test.close());

/** Creates a network of two sites, 100 devices with two interfaces each, and two addresses for each interface. */
async function prepare(): Promise<Record<string, number>> {
  const post = async (path: string, json: object): Promise<number> =>
    (await test.api.post<Made>(`/api/${path}/`, { json })).body.id;
  const postAll = async (path: string, json: readonly object[]): Promise<readonly number[]> =>
    (await test.api.post<readonly Made[]>(`/api/${path}/`, { json })).body.map(({ id }) => id);
  const top = await post('dcim/regions', { name: 'Norvale', slug: 'norvale' });
  const region = await post('dcim/regions', { name: 'Norvale East', slug: 'norvale-east', parent: top });
  const site = await post('dcim/sites', { name: 'Quillmoor', slug: 'quillmoor', region });
  const other = await post('dcim/sites', { name: 'Bramhatch', slug: 'bramhatch', region: top });
  const manufacturer = await post('dcim/manufacturers', { name: 'Orbweave', slug: 'orbweave' });
  const type = await post('dcim/device-types', { manufacturer, model: 'Plainbox', slug: 'plainbox' });
  const templates = ['eth0', 'eth1'].map((name) => ({ device_type: type, name, type: '1000base-t' }));
  await post('dcim/interface-templates', { ...templates[0], enabled: true });
  await post('dcim/interface-templates', { ...templates[1], enabled: false });
  const role = await post('dcim/device-roles', { name: 'Lattice', slug: 'lattice' });
  await post('extras/custom-fields', { name: 'motto', type: 'text', object_types: ['dcim.device'], default: 'spin' });
  await post('extras/custom-fields', {
    name: 'peer',
    type: 'object',
    related_object_type: 'dcim.site',
    object_types: ['dcim.device'],
  });
  await post('extras/config-contexts', { name: 'time', regions: [top], data: { ntp: ['192.0.2.1'] } });
  const tag = await post('extras/tags', { name: 'Woven', slug: 'woven' });
  const devices = await postAll(
    'dcim/devices',
    Array.from({ length: 100 }, (_, index) => ({
      name: `shuttle-${index}`,
      device_type: type,
      role,
      site: index === 99 ? other : site,
      tags: index === 0 ? [tag] : [],
      custom_fields: { peer: other },
    })),
  );
  const { rows } = await test.inventory.database.query<{ id: number }>('SELECT id FROM dcim_interface ORDER BY id');
  const addressed = rows.flatMap(({ id }, index) => [
    { address: `10.0.${index}.1/24`, assigned_object_type: 'dcim.interface', assigned_object_id: id },
    { address: `2001:db8:${index.toString(16)}::1/64`, assigned_object_type: 'dcim.interface', assigned_object_id: id },
  ]);
  await postAll('ipam/ip-addresses', addressed);
  const vlan = await post('ipam/vlans', { vid: 10, name: 'warp' });
  await test.api.patch(`/api/dcim/interfaces/${rows[0]?.id ?? 0}/`, {
    json: { mode: 'tagged', tagged_vlans: [vlan], untagged_vlan: vlan },
  });
  await post('ipam/prefixes', { prefix: '2001:db8:10::/48' });
  await post('ipam/prefixes', { prefix: '2001:db8:0:0:1::/80' });
  await post('ipam/prefixes', { prefix: 'fd07::/32', status: 'container' });
  await post('ipam/prefixes', { prefix: 'fd07:0:1::/48' });
  await post('ipam/ip-addresses', { address: 'fd07:0:2::1/64' });
  await post('ipam/ip-ranges', { start_address: 'fd07::a/64', end_address: 'fd07::f/64' });
  return { device: devices[0] ?? 0, last: devices[99] ?? 0, site, other, region, vlan };
}

/** Renders a config template for the first device. Returns the rendered text, or the error message. */
async function render(template_code: string, client: InProcessApiClient = test.api): Promise<string> {
  const made = await test.api.post<Made>('/api/extras/config-templates/', { json: { name: 'x', template_code } });
  const path = `/api/dcim/devices/${ids['device']}/render-config/`;
  const { body } = await client.post<Rendered>(path, { json: { config_template_id: made.body.id } });
  return body.content ?? body.detail;
}

/** Renders a list of devices with an export template. Returns the rendered text. */
async function exported(template_code: string, query = ''): Promise<{ status: number; text: string }> {
  const name = `export ${template_code.length} ${Math.random()}`;
  await test.api.post('/api/extras/export-templates/', {
    json: { name, object_types: ['dcim.device'], template_code },
  });
  return test.api.get<string>(`/api/dcim/devices/?export=${encodeURIComponent(name)}${query}`);
}

/** Returns the SQL statements that load related objects while `work` runs. */
async function loadsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { database } = test.inventory;
  const sent: string[] = [];
  const original = database.inTransaction.bind(database);
  const spy = vi.spyOn(database, 'inTransaction').mockImplementation((run, options) =>
    original((tx) => {
      const query = tx.query.bind(tx);
      vi.spyOn(tx, 'query').mockImplementation((statement, values) => {
        const { text = statement }: { text?: unknown } = Object(statement);
        if (/ AS owner, |^SELECT \S+, count\(\*\)::int/.test(String(text))) sent.push(String(text));
        return query(statement, values);
      });
      return run(tx);
    }, options),
  );
  try {
    await work();
    return sent;
  } finally {
    spy.mockRestore();
  }
}

describe('POST render-config with a template that uses relations', () => {
  it.each([
    ['{{ device.site.region.name }}|{{ device.site.region.parent.slug }}', 'Norvale East|norvale'],
    ['{{ device.device_type.manufacturer.slug }}|{{ device.site.region.parent.parent }}', 'orbweave|None'],
    ['{{ device.cf.motto }}|{{ device.cf.peer }}|{{ device.cf["peer"].region.slug }}', 'spin|Bramhatch|norvale'],
    ['{{ device.get_status_display() }}|{{ device.status }}|{{ device.get_face_display() }}', 'Active|active|None'],
    ['{{ device.config_context.ntp[0] }}|{{ ntp[0] }}|{{ device.pk == device.id }}', '192.0.2.1|192.0.2.1|True'],
    ['{% for i in device.interfaces.all() %}{{ i.name }} {{ i.enabled }},{% endfor %}', 'eth0 True,eth1 False,'],
    ['{{ device.interfaces.filter(enabled=true).first() }}|{{ device.interfaces.last().type }}', 'eth0|1000base-t'],
    ['{{ device.interfaces.count() }}|{{ device.interfaces.exists() }}|{{ device.consoleports.count() }}', '2|True|0'],
    [
      '{{ device.interfaces.first().ip_addresses.all() }}',
      '<IPAddressQuerySet [<IPAddress: 10.0.0.1/24>, <IPAddress: 2001:db8::1/64>]>',
    ],
    [
      '{% set a = device.interfaces.first().ip_addresses.filter(address__family=4).get() %}{{ a.address.ip }} {{ a.address.netmask }} {{ a.address.network }} {{ a.address.split("/")[1] }}',
      '10.0.0.1 255.255.255.0 10.0.0.0 24',
    ],
    [
      '{{ device.interfaces.filter(untagged_vlan__vid=10) }}|{{ device.interfaces.first().tagged_vlans.all() }}',
      '<RestrictedQuerySet [<Interface: eth0>]>|<VLANQuerySet [<VLAN: warp (10)>]>',
    ],
    ['{{ device.interfaces.first().untagged_vlan.interfaces_as_tagged.all()|join }}', 'eth0'],
    [
      '{{ device.tags.all() }}|{{ device.tags.slugs()|join }}|{{ device.tags.count() }}',
      '<RestrictedQuerySet [<Tag: Woven>]>|woven|1',
    ],
    ['{{ device.site.devices.count() }}|{{ device.site.region.parent.children.all()|join }}', '99|Norvale East'],
    ['{{ device.device_type.instances.order_by("-name").first() }}|{{ device.parent_bay }}', 'shuttle-99|'],
    [
      '{% macro ip(i) %}{{ i.ip_addresses.first().address.ip }}{% endmacro %}{% for i in device.interfaces.all() %}{{ ip(i) }};{% endfor %}',
      '10.0.0.1;10.0.1.1;',
    ],
    [
      '{{ device.toString }}|{{ device.site.valueOf }}|{{ device.cf.hasOwnProperty }}|{{ dcim.Device.isPrototypeOf }}',
      '|||',
    ],
    [
      '{% for p in ipam.Prefix.objects.filter(prefix__net_contained="2001:db8::/32") %}{{ p.prefix.network }} {{ p.prefix.cidr }} {{ p.prefix.netmask }} {{ p.prefix.broadcast }};{% endfor %}',
      '2001:db8:0:0:1:: 2001:db8:0:0:1::/80 ffff:ffff:ffff:ffff:ffff:: 2001:db8::1:ffff:ffff:ffff;2001:db8:10:: 2001:db8:10::/48 ffff:ffff:ffff:: 2001:db8:10:ffff:ffff:ffff:ffff:ffff;',
    ],
    [
      '{% set all = ipam.IPAddress.objects %}{{ all.filter(address__net_contained_or_equal="10.0.1.1/24").count() }} {{ all.filter(address__net_host="2001:db8::1")|join }} {{ all.filter(address__net_mask_length=64).exists() }}',
      '1 2001:db8::1/64 True',
    ],
    [
      '{% set all = ipam.IPAddress.objects.filter(address__family=4) %}{{ all.order_by("-address").first() }} {{ all.filter(address__gt="10.0.198.1/24")|join }} {{ (all|map(attribute="address")|sort)[2] }}',
      '10.0.199.1/24 10.0.199.1/24 10.0.2.1/24',
    ],
    [
      '{% set eth0 = device.interfaces.first() %}{% set other = device.device_type.instances.last().interfaces.first() %}{{ other.name }} {{ eth0 == other }} {{ eth0 == device.interfaces.get(name="eth0") }} {{ device.interfaces.contains(other) }}',
      'eth0 False True False',
    ],
    ['{% set name = "desc" ~ "ription" %}[{{ device.site.region[name] }}]', '[]'],
    [
      '{% set r = device.site.region %}{{ r.get_ancestors() }} {{ r.get_ancestors(include_self=true)|join("/") }} {{ r.get_ancestors(true, true)|join("/") }} {{ r.get_ancestors().count() }}',
      '<TreeQuerySet [<Region: Norvale>]> Norvale/Norvale East Norvale East/Norvale 1',
    ],
    [
      '{% set r = device.site.region.parent %}{{ r.get_descendants()|join }}|{{ r.get_descendants(true).count() }}|{{ r.get_children().first().slug }}|{{ r.get_ancestors().exists() }}',
      'Norvale East|2|norvale-east|False',
    ],
    [
      '{% set p = ipam.Prefix.objects.get(prefix="fd07::/32") %}{{ p.get_children()|join(" ") }}|{{ p.get_children(include_self=true).count() }}|{{ p.get_child_prefixes().last().get_parents()|join }}|{{ p.get_child_ips().count() }}|{{ p.get_child_ips().first() }}|{{ p.get_child_ranges()|join }}',
      'fd07:0:1::/48|2|fd07::/32|1|fd07:0:2::1/64|fd07::a-f/64',
    ],
  ])('renders %s', async (template, expected) => {
    expect(await render(template)).toBe(expected);
  });

  it.each([
    ['{{ device.interfaces.get(name="zz") }}', 'DoesNotExist: Interface matching query does not exist.'],
    ['{{ device.interfaces.filter(nothing=1) }}', "FieldError: Cannot resolve keyword 'nothing' into field."],
    ['{{ device.interfaces.update(enabled=False) }}', 'SecurityError: <bound method update> is not safely callable'],
    ['{{ device.constructor }}', "SecurityError: access to attribute 'constructor' of 'object' object is unsafe."],
    ['{{ device.site.__proto__ }}', "SecurityError: access to attribute '__proto__' of 'object' object is unsafe."],
    [
      '{{ device.interfaces.constructor }}',
      "SecurityError: access to attribute 'constructor' of 'list' object is unsafe.",
    ],
    [
      '{{ device.interfaces.filter(constructor=1) }}',
      "SecurityError: access to attribute 'constructor' of 'object' object is unsafe.",
    ],
    ['{{ device.interfaces.filter(toString=1) }}', "FieldError: Cannot resolve keyword 'toString' into field."],
    ['{% for i in device.interfaces.all %}{% endfor %}', "TemplateRuntimeError: 'function' object is not iterable"],
  ])('returns the error of the template %s', async (template, expected) => {
    expect(await render(template)).toBe(expected);
  });

  it('runs one SQL statement for each relation in the template', async () => {
    const template =
      '{% for i in device.interfaces.all() %}{{ i.description }}{% for a in i.ip_addresses.all() %}{{ a }}{% endfor %}{{ i.device.site.region.slug }}{% endfor %}';
    const loads = await loadsOf(() => render(template));
    // Interfaces, their addresses, their devices, and the sites of these.
    expect(loads.length).toBe(4);
  });

  it('finds only objects that the user may view', async () => {
    const all = { actions: ['view' as const], constraints: null };
    const { api } = await permittedUser(
      test,
      { types: ['dcim.device'], actions: ['view', 'render_config'], constraints: null },
      { ...all, types: ['extras.configtemplate', 'dcim.region'] },
      { ...all, types: ['dcim.interface'], constraints: { enabled: true } },
    );
    const template =
      '{{ device.interfaces.all()|join(",") }} {{ device.interfaces.count() }} {{ device.interfaces.first().ip_addresses.count() }} {{ device.site.name }} [{{ device.site.region }}]';
    expect(await render(template, api)).toBe('eth0 1 0 Quillmoor [None]');
    expect(await render(template)).toBe('eth0,eth1 2 2 Quillmoor [Norvale East]');
  });

  it('finds no parents or children of a related object that the user may not view', async () => {
    const seesRegions = async (constraints: object): Promise<InProcessApiClient> => {
      const { api } = await permittedUser(
        test,
        { types: ['dcim.device'], actions: ['view', 'render_config'], constraints: null },
        { types: ['extras.configtemplate', 'dcim.site'], actions: ['view'], constraints: null },
        { types: ['dcim.region'], actions: ['view'], constraints },
      );
      return api;
    };
    const template =
      '{% set r = device.site.region %}{{ r.get_ancestors()|join }} {{ r.get_ancestors(include_self=true).count() }}';
    expect(await render(template, await seesRegions({ slug: 'norvale' }))).toBe(' 0');
    expect(await render(template, await seesRegions({ slug: 'norvale-east' }))).toBe(' 1');
    expect(await render(template)).toBe('Norvale 2');
  });

  it('treats fields of related objects that the user may not view as null in conditions', async () => {
    const { api } = await permittedUser(
      test,
      { types: ['dcim.device', 'dcim.devicetype'], actions: ['view', 'render_config'], constraints: null },
      { types: ['extras.configtemplate', 'dcim.interface'], actions: ['view'], constraints: null },
    );
    const template =
      '{% set all = device.device_type.instances %}{{ all.filter(site__region__slug="norvale").count() }} {{ all.filter(site__region=None).count() }} {{ all.exclude(site__region__parent__slug="norvale").count() }} {{ all.order_by("site__region__name").first() }} {{ all.values_list("site__region__slug", flat=True).distinct()|list }} [{{ device.site.region.name }}] {{ device.site.tags.count() }}';
    expect(await render(template, api)).toBe('0 100 100 shuttle-0 [None] [] 0');
    expect(await render(template)).toBe("1 0 1 shuttle-99 ['norvale-east', 'norvale'] [Norvale East] 0");
  });

  it('reads a related object once when many objects refer to it', async () => {
    const rir = await test.api.post<Made>('/api/ipam/rirs/', { json: { name: 'Loom', slug: 'loom' } });
    const made = await test.api.post<readonly Made[]>('/api/ipam/asns/', {
      json: Array.from({ length: 30 }, (_, index) => ({ asn: 64_512 + index, rir: rir.body.id })),
    });
    const asns = made.body.map(({ id }) => id);
    await test.api.post('/api/dcim/sites/', {
      json: Array.from({ length: 30 }, (_, index) => ({ name: `asn ${index}`, slug: `asn-${index}`, asns })),
    });
    const steps = '.asns.all()[0].sites.all()[0]'.repeat(3);
    // The field of the last object is read for all objects that the template can reach on the same way.
    const template = `{% set asn = dcim.Site.objects.get(slug="asn-7")${steps}.asns.all()[1] %}{{ asn.asn }}{{ asn["comm" ~ "ents"] }}`;
    expect(await render(template)).toBe('64513');
  });

  it('renders JSON that users stored unchanged, even if the JSON resembles an object of the API', async () => {
    const forged = { id: 1e20, url: 'http://localhost/api/dcim/sites/1/', display: 'q' };
    const named = { ...forged, id: ids['site'], url: `http://localhost/api/dcim/sites/${ids['site'] ?? 0}/` };
    await test.api.post('/api/extras/custom-fields/', {
      json: { name: 'notes', type: 'json', object_types: ['dcim.device'] },
    });
    await test.api.patch(`/api/dcim/devices/${ids['device'] ?? 0}/`, {
      json: { local_context_data: { forged, named, label: 'x' }, custom_fields: { notes: named } },
    });
    const template =
      '{{ device.config_context.forged.slug }}|{{ device.local_context_data.named.slug }}{{ device.local_context_data.named.display }}|{{ device.get_config_context().label }}|{{ device.cf.notes.slug }}{{ device.cf.notes.display }}';
    expect(await render(template)).toBe('|q|x|q');
  });

  it('limits the nesting depth of related objects', async () => {
    const { device = 0 } = ids;
    const { body } = await test.api.post<Made>('/api/dcim/virtual-chassis/', { json: { name: 'Braid' } });
    const joined = { virtual_chassis: body.id, vc_position: 1 };
    await test.api.patch(`/api/dcim/devices/${device}/`, { json: joined });
    await test.api.patch(`/api/dcim/virtual-chassis/${body.id}/`, { json: { master: device } });
    const steps = (rounds: number): string =>
      `{% set ns = namespace(o=device) %}{% for i in range(${rounds}) %}{% set ns.o = ns.o.virtual_chassis.master %}{% endfor %}[{{ ns.o.name }}{{ ns.o["ser" ~ "ial"] }}]`;
    expect(await render(steps(20))).toBe('[shuttle-0]');
    expect(await render(steps(3000))).toBe(
      'TemplateLimitError: The template needs related objects that are more than 50 steps away',
    );
    const { looks } = relatedLoadLimits;
    try {
      relatedLoadLimits.looks = 20;
      expect(await render(steps(20))).toBe(
        'TemplateLimitError: The template needs more than 20 looks at related objects',
      );
    } finally {
      relatedLoadLimits.looks = looks;
    }
  });

  it('responds 503 while too many renderings wait for related objects', async () => {
    const { database } = test.inventory;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let waiting = 0;
    const original = database.inTransaction.bind(database);
    const spy = vi.spyOn(database, 'inTransaction').mockImplementation(async (run, options) => {
      if (options?.readOnly === true && options.isolation === undefined) {
        waiting += 1;
        await gate;
      }
      return original(run, options);
    });
    const path = `/api/dcim/devices/${ids['device'] ?? 0}/render-config/`;
    try {
      const template = await test.api.post<Made>('/api/extras/config-templates/', {
        json: { name: 'waiting', template_code: '{{ device.site.region.name }}' },
      });
      const json = { config_template_id: template.body.id };
      const begun = Array.from({ length: maxConcurrentRenderings }, () => test.api.post<Rendered>(path, { json }));
      await vi.waitFor(() => expect(waiting).toBe(maxConcurrentRenderings), { timeout: 30_000 });
      const refused = await test.api.post(path, { json });
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
      open();
      const texts = (await Promise.all(begun)).map(({ body }) => body.content);
      expect(texts).toEqual(texts.map(() => 'Norvale East'));
      expect((await test.api.post(path, { json })).status).toBe(200);
    } finally {
      open();
      spy.mockRestore();
    }
  });

  it('denies templates access to users and tokens', async () => {
    const template =
      '{{ device.site.owner }}|{{ users }}|{{ device.site.region.changes }}|{{ device.journal_entries.count() }}';
    expect(await render(template)).toBe('None|||0');
  });

  it('limits the rows and statements of a rendering', async () => {
    const before = { ...relatedLoadLimits };
    try {
      relatedLoadLimits.rows = 150;
      expect(await render('{{ device.device_type.instances.all()|length }}')).toBe('100');
      expect(
        await render('{% for d in device.device_type.instances.all() %}{{ d.interfaces.all() }}{% endfor %}'),
      ).toBe('TemplateLimitError: The template needs more than 150 related objects');
      relatedLoadLimits.statements = 2;
      expect(
        await render('{{ device.site.region.parent.parent.x }}{{ device.interfaces.first().ip_addresses.first() }}'),
      ).toBe('TemplateLimitError: The template needs more than 2 statements');
    } finally {
      Object.assign(relatedLoadLimits, before);
    }
  });
});

describe('GET ?export= with a template that uses relations', () => {
  it('renders 100 devices with related objects by one SQL statement per relation', async () => {
    const template =
      '{% for d in queryset %}{{ d.name }} {{ d.site.region.name }}{% for i in d.interfaces.all() %} {{ i.name }}={% for a in i.ip_addresses.all() %}{{ a.address.ip }},{% endfor %}{% endfor %}\n{% endfor %}';
    let text = '';
    const loads = await loadsOf(async () => ({ text } = await exported(template)));
    const lines = text.split('\n');
    expect([lines.length, lines[0]]).toEqual([
      101,
      'shuttle-0 Norvale East eth0=10.0.0.1,2001:db8::1, eth1=10.0.1.1,2001:db8:1::1,',
    ]);
    expect(loads.map((load) => /FROM (\w+) t/.exec(load)?.[1]).toSorted()).toEqual([
      'dcim_interface',
      'dcim_site',
      'ipam_ipaddress',
    ]);
  });

  it('finds the related objects of an object that a template reaches in different ways', async () => {
    const template =
      '{{ queryset.first().cf.peer.region.slug }}{% for d in queryset.order_by("-name") %}{{ d.site.region.sites.count() }}{{ d.site.region.sites.all()|join }},{% endfor %}';
    expect((await exported(template)).text).toBe(`norvale1Bramhatch,${'1Quillmoor,'.repeat(99)}`);
  });

  it('limits the total number of rows of all loaded objects', async () => {
    const before = { ...relatedLoadLimits };
    try {
      relatedLoadLimits.rows = 350;
      const template = '{% for d in queryset %}{{ d.interfaces.all()|list|length }}{% endfor %}';
      const all = '{{ dcim.Device.objects.all()|list|length }}';
      expect((await exported(template + all)).text).toBe(`${'2'.repeat(100)}100`);
      relatedLoadLimits.rows = 250;
      expect((await exported(template)).status).toBe(200);
      expect((await exported(all)).status).toBe(200);
      expect((await exported(template + all)).status).toBe(400);
    } finally {
      Object.assign(relatedLoadLimits, before);
    }
  });

  it('counts the related objects of all listed objects with one SQL statement', async () => {
    const loads = await loadsOf(() => exported('{% for d in queryset %}{{ d.interfaces.count() }}{% endfor %}'));
    expect(loads.length).toBe(1);
  });

  it.each([
    [
      '{{ queryset.filter(name="shuttle-7").first() }}|{{ queryset.exclude(site__slug="quillmoor")|join }}',
      'shuttle-7|shuttle-99',
    ],
    ['{{ queryset.order_by("-name").first() }}|{{ queryset.count() }}|{{ queryset.exists() }}', 'shuttle-99|100|True'],
    ['{{ queryset.filter(site__region__slug="norvale")|map(attribute="name")|join }}', 'shuttle-99'],
    ['{{ queryset[:2]|list }}', '[<Device: shuttle-0>, <Device: shuttle-1>]'],
  ])('renders %s', async (template, expected) => {
    expect((await exported(template)).text).toBe(expected);
  });

  it('finds related objects for each batch of a list of more than 1,000 objects', async () => {
    await test.inventory.database.query(
      `INSERT INTO dcim_device (name, device_type_id, role_id, site_id, status, created, last_updated)
        SELECT 'extra-' || n, device_type_id, role_id, site_id, 'planned', now(), now()
        FROM dcim_device, generate_series(1, 1000) n WHERE name = 'shuttle-99'`,
    );
    const template = '{% for d in queryset %}{{ d.site.region.slug }} {{ d.interfaces.count() }}\n{% endfor %}';
    const { status, text } = await exported(template);
    const lines = text.trim().split('\n');
    const countOf = (line: string): number => lines.filter((one) => one === line).length;
    expect([status, countOf('norvale-east 2'), countOf('norvale 2'), countOf('norvale 0')]).toEqual([200, 99, 1, 1000]);
    const { status: refused } = await exported('{{ queryset.filter(name="x") }}');
    expect(refused).toBe(400);
  });

  it('frees the memory of each batch of a list of more than 1,000 objects', async () => {
    const previous =
      '{% for d in queryset %}{{ loop.previtem.site.region.slug if not loop.first }};{% endfor %}{{ "end" }}';
    expect((await exported(previous)).text).toMatch(/^;(norvale(-east)?;){1099}end$/);
    const first = (shown: string): string =>
      `{% set ns = namespace(d=None) %}{% for d in queryset %}{% if loop.first %}{% set ns.d = d %}{% endif %}{% if loop.last %}{{ ns.d.${shown} }}{% endif %}{% endfor %}`;
    expect((await exported(first('site.name'))).text).toBe('Bramhatch');
    const refused = await exported(first('site.region.slug'));
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Objects of an earlier part of a long list cannot load related objects');
  });

  it('limits rows per batch unless the template stores objects, and limits statements over all batches', async () => {
    const before = { ...relatedLoadLimits };
    const { renderings } = longExportLimitFactor;
    // Sites are read for each of the three parts.
    const template = (stored: string): string =>
      `{% set l = [] %}{% for d in queryset %}{{ d.site.region.slug }}{% if loop.index in [1, 700] %}{% do l.append(${stored}) %}{% endif %}{% endfor %}`;
    try {
      relatedLoadLimits.rows = 3;
      expect((await exported(template('d.name'))).status).toBe(200);
      expect((await exported(template('d'))).text).toContain('more than 3 related objects');
      relatedLoadLimits.statements = 1;
      longExportLimitFactor.renderings = 3;
      expect((await exported(template('1'))).status).toBe(200);
      longExportLimitFactor.renderings = 2;
      expect((await exported(template('1'))).text).toContain('more than 1 statements');
    } finally {
      Object.assign(relatedLoadLimits, before);
      longExportLimitFactor.renderings = renderings;
    }
  });
});

describe('names of relations in templates', () => {
  it('equal the relations of all declared models', () => {
    const relations = new ModelRelationFinder(modelRegistry);
    const found = new Set(
      modelRegistry.models.flatMap((model) =>
        [...relations.listRelations(model).values()].map(({ name, model: { type } }) => `${type} ${name}`),
      ),
    );
    const named = Object.entries(templateRelationNames).flatMap(([type, names]) =>
      Object.keys(names).map((name) => `${type} ${name}`),
    );
    expect(named.filter((name) => !found.has(name))).toEqual([]);
  });
});
