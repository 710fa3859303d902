import { describe, expect, it } from 'vitest';
import {
  PendingLoad,
  RelatedList,
  renderTemplate,
  TemplateMethod,
  TemplateObject,
  TemplateRendering,
} from '../src/index.js';

/** A network interface of a device in a {@link Network}. */
interface Port {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly mtu: number | null;
}

const ports: readonly Port[] = [
  { id: 1, name: 'eth0', enabled: true, mtu: 9000 },
  { id: 2, name: 'eth1', enabled: false, mtu: null },
  { id: 3, name: 'eth10', enabled: true, mtu: 1500 },
  { id: 4, name: 'eth2', enabled: true, mtu: null },
];

/** Test devices whose ports and sites are loaded on first use. Records the loads. */
class Network {
  readonly loads: string[] = [];
  readonly #loaded = new Set<string>();

  device(name: string): TemplateObject {
    const list = new RelatedList({
      rows: () => this.#once(`ports of ${name}`, () => ports.map((port) => this.#port(port))),
      count: () => this.#once(`count of ${name}`, () => ports.length),
    });
    const find = (member: string): unknown => {
      if (member === 'ports') return list;
      if (member === 'site') return this.#once(`site of ${name}`, () => ({ slug: `site-of-${name}` }));
      return member === 'shout' ? new TemplateMethod(member, () => name.toUpperCase()) : undefined;
    };
    return new TemplateObject(name, { id: 9, name }, { typeName: 'Device', find });
  }

  #port(port: Port): TemplateObject {
    const find = (name: string): unknown =>
      name === 'addresses' ? this.#once(`addresses of ${port.name}`, () => [`192.0.2.${port.id}`]) : undefined;
    return new TemplateObject(port.name, { ...port }, { typeName: 'Port', find });
  }

  #once<T>(what: string, make: () => T): T | PendingLoad {
    if (this.#loaded.has(what)) return make();
    return new PendingLoad(async () => {
      await Promise.resolve();
      this.loads.push(what);
      this.#loaded.add(what);
    });
  }
}

/** Renders a template whose context is a device. Returns the text and the names of the loads. */
async function render(template: string): Promise<{ text: string; loads: readonly string[] }> {
  const network = new Network();
  const device = network.device('r1');
  const rendering = new TemplateRendering(template, { device }, { pauseAfterMs: 1000 });
  for (let text = ''; ;) {
    const part = rendering.renderNextPart();
    text += part.text;
    if (part.isDone) return { text, loads: network.loads };
    await part.load?.run();
  }
}

const textOf = async (template: string): Promise<string> => (await render(template)).text;

describe('TemplateRendering with related objects', () => {
  it('yields a load when a template uses data that is not loaded, and continues after the load', async () => {
    const { text, loads } = await render('{{ device }} {{ device.site.slug }} {{ device.site.slug|upper }}');
    expect([text, loads]).toEqual(['r1 site-of-r1 SITE-OF-R1', ['site of r1']]);
  });

  it.each([
    ['conditions', '{% if device.site.slug %}x{% endif %}', 'x', 1],
    [
      'loops',
      '{% for p in device.ports.all() %}{{ p.name }} {{ p.addresses[0] }},{% endfor %}',
      'eth0 192.0.2.1,eth1 192.0.2.2,eth10 192.0.2.3,eth2 192.0.2.4,',
      5,
    ],
    ['conditions of loops', '{% for p in device.ports.all() if p.addresses %}{{ p.id }}{% endfor %}', '1234', 5],
    ['macros', '{% macro m(d) %}[{{ d.site.slug }}]{% endmacro %}{{ m(device) }}', '[site-of-r1]', 1],
    [
      'blocks',
      '{% set t %}{{ device.site.slug }}{% endset %}{% filter upper %}{{ t }}{% endfilter %}',
      'SITE-OF-R1',
      1,
    ],
    [
      'filters',
      '{{ device.ports.all()|map(attribute="addresses")|map("first")|join(" ") }}',
      '192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4',
      5,
    ],
    [
      'call blocks',
      '{% macro m() %}{{ caller() }}!{% endmacro %}{% call m() %}{{ device.site.slug }}{% endcall %}',
      'site-of-r1!',
      1,
    ],
    [
      'recursive loops',
      '{% for x in [[1]] recursive %}{% if x is iterable %}{{ loop(x) }}{% endif %}{{ device.site.slug }};{% endfor %}',
      'site-of-r1;site-of-r1;',
      1,
    ],
  ])('loads related objects in %s', async (_where, template, expected, count) => {
    const { text, loads } = await render(template);
    expect([text, loads.length]).toEqual([expected, count]);
  });

  it.each([
    [
      'appended items',
      '{% set x = [] %}{{ x.append(1) }}{{ [x.append(2), device.site.slug][1] }}{{ x }}',
      'Nonesite-of-r1[1, 2]',
    ],
    [
      'removed items',
      '{% set x = [1, 2, 3] %}{{ [x.pop(), x.pop(0), device.site.slug] }}{{ x }}',
      "[3, 1, 'site-of-r1'][2]",
    ],
    [
      'inserted and reversed items',
      '{% set x = [1, 2] %}{{ [x.insert(-1, 0), x.reverse(), device.site.slug][2] }}{{ x }}',
      'site-of-r1[2, 0, 1]',
    ],
    [
      'entries',
      "{% set x = {'a': 1, 'b': 2} %}{{ [x.update({'c': 3}), x.pop('a'), x.setdefault('d', 4), device.site.slug][1] }}{{ x }}",
      "1{'b': 2, 'c': 3, 'd': 4}",
    ],
    [
      'removed entries',
      "{% set x = {'a': 1, 'b': 2, 'c': 3, 'd': 4} %}{{ [x.pop('c'), x.pop('a'), x.update({'c': 5}), x.pop('b', 0), device.site.slug][0] }}{{ x }}",
      "3{'d': 4, 'c': 5}",
    ],
    [
      'cleared lists and dictionaries',
      "{% set x = {'a': 1, 'b': 2} %}{% set l = [1, 2] %}{{ [x.pop('a'), x.clear(), x.update({'b': 3}), l.clear(), l.append(3), device.site.slug][5] }}{{ x }}{{ l }}",
      "site-of-r1{'b': 3}[3]",
    ],
    [
      'entries removed in an undone statement',
      "{% set x = {'a': 1, 'b': 2, 'c': 3} %}{{ [x.pop('a'), device.site.slug][0] if x|length < 3 else x.pop('b') ~ device.site.slug }}{{ x }}",
      "2site-of-r1{'a': 1, 'c': 3}",
    ],
    [
      'cyclers and joiners',
      '{% set c = cycler(1, 2) %}{% set j = joiner("-") %}{{ [c.next(), j(), device.site.slug, c.next(), j()] }}',
      "[1, '', 'site-of-r1', 2, '-']",
    ],
    [
      'members of namespaces in macros',
      '{% set ns = namespace(n=0) %}{% macro m() %}{% set ns.n = ns.n + 1 %}{{ device.site.slug }}{% endmacro %}{{ m() }}{{ ns.n }}',
      'site-of-r11',
    ],
    [
      'changes that a loop watches',
      '{% for x in [1, 1, 2] %}{{ [loop.changed(x), device.site.slug][0] }} {% endfor %}',
      'True False True ',
    ],
  ])(
    'applies changes of %s only once when a statement is evaluated again after a load',
    async (_what, template, expected) => {
      expect(await textOf(template)).toBe(expected);
    },
  );

  it('counts without reading the objects', async () => {
    const { text, loads } = await render(
      '{{ device.ports.count() }} {{ device.ports.exists() }} {{ device.ports|length }}',
    );
    expect([text, loads]).toEqual(['4 True 4', ['count of r1']]);
  });

  it('reads a list of related objects once for all its methods', async () => {
    const { loads } = await render(
      '{{ device.ports.filter(enabled=true) }}{{ device.ports.first() }}{{ device.ports.last() }}',
    );
    expect(loads).toEqual(['ports of r1']);
  });

  it.each([
    ['{{ device.ports.filter(enabled=true).count() }}', '3'],
    ['{{ device.ports.exclude(enabled=true).first() }}', 'eth1'],
    ['{{ device.ports.filter(name__in=["eth0", "eth2"])|map(attribute="id")|list }}', '[1, 4]'],
    ['{{ device.ports.filter(name__startswith="eth1").values_list("name", flat=True)|list }}', "['eth1', 'eth10']"],
    ['{{ device.ports.filter(name__iexact="ETH1")|length }}', '1'],
    ['{{ device.ports.filter(mtu__gt=1500)|length }} {{ device.ports.filter(mtu__isnull=true)|length }}', '1 2'],
    ['{{ device.ports.filter(mtu=None).count() }}', '2'],
    ['{{ device.ports.order_by("-name")|join(" ") }}', 'eth10 eth2 eth1 eth0'],
    ['{{ device.ports.order_by("enabled", "name")|join(" ") }}', 'eth1 eth0 eth2 eth10'],
    ['{{ device.ports.reverse().first() }} {{ device.ports.none().first() }}', 'eth2 None'],
    ['{{ device.ports.get(name="eth1").id }} {{ device.ports.contains(device.ports.first()) }}', '2 True'],
    ['{{ device.ports.values("name", "mtu")[0] }}', "{'name': 'eth0', 'mtu': 9000}"],
    ['{{ device.ports.all()[1] }} {{ device.ports.all()[:2]|list }}', 'eth1 [<Port: eth0>, <Port: eth1>]'],
    ['{{ device.ports.all()[1:3] }}', '<RestrictedQuerySet [<Port: eth1>, <Port: eth10>]>'],
    ['{{ device.ports.exclude().count() }} {{ device.ports.filter().count() }}', '4 4'],
    ['{{ device.ports.latest("id") }} {{ device.ports.earliest("-mtu", "name") }}', 'eth2 eth1'],
    [
      '{{ device.ports.values_list("enabled", flat=True).distinct()|list }} {{ device.ports.distinct().count() }}',
      '[True, False] 4',
    ],
    ['{{ device.ports.values_list("name", flat=True).order_by("-id")|join(" ") }}', 'eth2 eth10 eth1 eth0'],
    ['{{ device.ports.values_list("name", flat=True).filter(enabled=true).last() }}', 'eth2'],
    ['{{ device.ports.values_list("name", "id")[1:3]|list }}', "[['eth1', 2], ['eth10', 3]]"],
    [
      '{{ device.ports.filter(mtu__range=[1000, 2000])|join }} {{ device.ports.in_bulk([2, 3]) }}',
      'eth10 {2: <Port: eth1>, 3: <Port: eth10>}',
    ],
    ['{{ device.ports.all() }}', '<RestrictedQuerySet [<Port: eth0>, <Port: eth1>, <Port: eth10>, <Port: eth2>]>'],
    ['{{ device.shout() }} {{ device.nothing }}', 'R1 '],
  ])('supports %s', async (template, expected) => {
    expect(await textOf(template)).toBe(expected);
  });

  it.each([
    ['{{ device.ports.get(name="x") }}', 'DoesNotExist', 'Port matching query does not exist.'],
    [
      '{{ device.ports.get(enabled=true) }}',
      'MultipleObjectsReturned',
      'get() returned more than one Port -- it returned 3!',
    ],
    ['{{ device.ports.filter(nothing=1) }}', 'FieldError', "Cannot resolve keyword 'nothing' into field."],
    ['{{ device.ports.order_by("nothing") }}', 'FieldError', "Cannot resolve keyword 'nothing' into field."],
    ['{{ device.ports.none().latest("id") }}', 'DoesNotExist', 'Object matching query does not exist.'],
    ['{{ device.ports.none().earliest("id") }}', 'DoesNotExist', 'Object matching query does not exist.'],
    ['{{ device.ports.latest() }}', 'TemplateRuntimeError', 'earliest() and latest() require names of fields'],
    ['{{ device.ports.filter(name__regex="^e") }}', 'FieldError', 'Lookups with patterns are not supported: regex'],
    ['{{ device.ports.update(enabled=false) }}', 'SecurityError', '<bound method update> is not safely callable'],
    ['{{ device.save() }}', 'SecurityError', '<bound method save> is not safely callable'],
    [
      '{{ device.ports.constructor }}',
      'SecurityError',
      "access to attribute 'constructor' of 'list' object is unsafe.",
    ],
    ['{{ device.__proto__ }}', 'SecurityError', "access to attribute '__proto__' of 'object' object is unsafe."],
  ])('throws an error for %s', async (template, name, message) => {
    await expect(render(template)).rejects.toMatchObject({ name, message });
  });
});

describe('PendingLoad', () => {
  it('converts a RangeError of the load to a TemplateLimitError', async () => {
    const load = new PendingLoad(() => Promise.reject(new RangeError('Maximum call stack size exceeded')));
    await expect(load.run()).rejects.toMatchObject({ name: 'TemplateLimitError', limit: 'memory' });
  });
});

/** Renders a template whose context is a list of devices, each with a list of ports. */
function renderDevices(template: string): string {
  const port = (name: string, speed: number, addresses: readonly string[]) =>
    new TemplateObject(name, {
      name,
      speed,
      addresses: new RelatedList({ rows: () => addresses.map((address) => new TemplateObject(address, { address })) }),
    });
  const device = (name: string, ...all: readonly TemplateObject[]) =>
    new TemplateObject(name, { name, ports: new RelatedList({ rows: () => all }), site: null });
  const devices = new RelatedList({
    rows: () => [
      device('r1', port('a', 1, ['x', 'y']), port('b', 10, [])),
      device('r2', port('a', 10, ['y'])),
      device('r3'),
    ],
  });
  return renderTemplate(template, { devices });
}

describe('conditions over lists of related objects', () => {
  it.each([
    ['{{ devices.filter(ports__name="a", ports__speed=10)|join(" ") }}', 'r2'],
    ['{{ devices.filter(ports__name="a").filter(ports__speed=10)|join(" ") }}', 'r1 r2'],
    ['{{ devices.filter(ports__addresses__address="y", ports__speed=1)|join(" ") }}', 'r1'],
    ['{{ devices.exclude(ports__name="a", ports__speed=1)|join(" ") }}', 'r2 r3'],
    ['{{ devices.exclude(ports__name="b", ports__speed=1)|join(" ") }}', 'r2 r3'],
    ['{{ devices.filter(ports=None)|join(" ") }}|{{ devices.filter(ports__isnull=true)|join(" ") }}', 'r3|r3'],
    ['{{ devices.filter(ports__isnull=false)|join(" ") }}', 'r1 r2'],
    ['{{ devices.filter(ports__addresses=None)|join(" ") }}', 'r1 r3'],
    ['{{ devices.exclude(ports=None)|join(" ") }}', 'r1 r2'],
    ['{{ devices.filter(site=None).count() }} {{ devices.filter(site__slug=None).count() }}', '3 3'],
    ['{{ devices.filter(site__slug="x").count() }} {{ devices.exclude(site__slug="x").count() }}', '0 3'],
    [
      '{{ devices.values_list("name", "ports__name", "ports__speed")|list }}',
      "[['r1', 'a', 1], ['r1', 'b', 10], ['r2', 'a', 10], ['r3', None, None]]",
    ],
    ['{{ devices.values_list("ports__name", flat=True).distinct()|list }}', "['a', 'b', None]"],
    ['{{ devices.order_by("-ports__speed", "name")|join(" ") }}', 'r3 r2 r1'],
  ])('supports %s', (template, expected) => {
    expect(renderDevices(template)).toBe(expected);
  });
});

describe('objects with an identity', () => {
  const object = (type: string, id: number, text: string): TemplateObject =>
    new TemplateObject(text, { id }, { typeName: type, identity: `${type} ${id}` });
  const owner = (name: string, of: TemplateObject): TemplateObject => new TemplateObject(name, { name, of });
  const [a, same, other, rack] = [
    object('site', 1, 'A'),
    object('site', 1, 'A'),
    object('site', 2, 'A'),
    object('rack', 1, 'A'),
  ];
  const owners = new RelatedList({
    rows: () => [owner('o1', a), owner('o2', other), owner('o3', same), owner('o4', rack)],
  });
  const numbered = new RelatedList({
    rows: () => [owner('p1', object('site', 3, 'S10')), owner('p2', object('site', 4, 'S9'))],
  });
  const number = (text: string): TemplateObject =>
    new TemplateObject(text, {}, { isText: true, sortKey: (one) => (/^\d+$/.test(one) ? one.padStart(5, '0') : null) });

  it.each([
    ['{{ a == same }} {{ a == other }} {{ a != other }} {{ a == rack }} {{ a == "A" }}', 'True False True False True'],
    ['{{ other in [a] }} {{ same in [a] }} {{ "A" in [a] }}', 'False True True'],
    [
      '{{ owners.filter(of=a)|join(" ") }}|{{ owners.filter(of=rack)|join(" ") }}|{{ owners.filter(of=2)|join }}',
      'o1 o3|o4|o2',
    ],
    ['{{ [a, other, same, rack]|unique|map(attribute="id")|join(" ") }}', '1 2 1'],
    ['{% for of, all in owners|groupby("of") %}{{ of.id }} {{ all|join("+") }};{% endfor %}', '1 o4;1 o1+o3;2 o2;'],
    ['{{ numbered.order_by("of")|join(" ") }}', 'p2 p1'],
    [
      '{{ ten < nine }} {{ ten > "9" }} {{ "9" < ten }} {{ ten < "x" }} {{ [ten, nine]|sort|join(" ") }}',
      'False True True True 9 10',
    ],
  ])('compare and sort as expected: %s', (template, expected) => {
    const context = { a, same, other, rack, owners, numbered, ten: number('10'), nine: number('9') };
    expect(renderTemplate(template, context)).toBe(expected);
  });
});

describe('renderTemplate with related objects', () => {
  it('throws for a template that needs a load, because the function cannot run loads', () => {
    const device = new Network().device('r1');
    expect(() => renderTemplate('{{ device.site }}', { device })).toThrow('This template cannot load related objects');
    expect(renderTemplate('{{ device.name }}', { device })).toBe('r1');
  });
});
