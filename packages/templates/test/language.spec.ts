import { describe, expect, it } from 'vitest';
import { TemplateObject } from '../src/index.js';
import { checkTemplate, renderTemplate } from './render-without-time-limit.js';

const device = {
  name: 'r1',
  position: 2,
  load: 0.5,
  site: new TemplateObject('Delta', { id: 3, name: 'Delta', slug: 'delta' }),
  status: new TemplateObject('active', { value: 'active', label: 'Active' }),
  tags: [new TemplateObject('core', { slug: 'core' }), new TemplateObject('edge', { slug: 'edge' })],
  config_context: { ntp: ['10.0.0.1', '10.0.0.2'], 'a-b': { deep: null } },
};

const render = (template: string): string => renderTemplate(template, { device, empty: [], name: 'x' });

describe('template language', () => {
  it.each([
    ['text alone', 'text alone'],
    ['{{ device.name }} {{ device["name"] }}', 'r1 r1'],
    ['{{ device.site }} {{ device.site.slug }} {{ device.site.id }}', 'Delta delta 3'],
    ['{{ device.status }} {{ device.status.label }} {{ device.status == "active" }}', 'active Active True'],
    ['{{ device.config_context["a-b"].deep }}', 'None'],
    ['{{ device.load }} {{ device.position }}', '0.5 2'],
    [
      '{{ 1 + 2 * 3 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 2 ** 8 }} {{ 6 / 3 }}',
      '7 3 -4 1 2 256 2.0',
    ],
    [
      '{{ {"1": "a"}[1] }}|{{ {1: "a"}["1"] }}|{{ {1: "a"}[1] }}|{{ {1: "a"}.1 }}|{{ {1: "a", "1": "b"}["1"] }}',
      '||a|a|b',
    ],
    ['{{ "a" ~ 1 ~ none }} {{ "ab" * 2 }} {{ [1] + [2] }} {{ "%s-%03d" % ("a", 7) }}', 'a1None abab [1, 2] a-007'],
    ['{{ 1 < 2 < 3 }} {{ 2 in [1, 2] }} {{ "b" not in "abc" }} {{ 1 == 1.0 }}', 'True True False True'],
    ['{{ not true or false and missing }} {{ "x" if empty else "y" }} {{ "x" if empty }}', 'False y '],
    ['{{ {"a": 1, "b": [none, "it\'s"]} }}', "{'a': 1, 'b': [None, \"it's\"]}"],
    ['{{ "abcdef"[1:3] }} {{ [1, 2, 3][-1] }} {{ [1, 2, 3][::-1] }} {{ "abc"[0] }}', 'bc 3 [3, 2, 1] a'],
    ['{{ missing }}|{{ device.missing }}|{{ missing is defined }}|{{ missing | default("d") }}', '||False|d'],
    [
      '{{ -1 | abs }} {{ 4 is divisibleby 2 }} {{ 4 is odd }} {{ 4 is not odd }} {{ device is mapping }}',
      '1 True False True True',
    ],
    ["{{ 'a\\n' 'b' }}{# comment {{ x }} #}", 'a\nb'],
    ['{% raw %}{{ name }}{% endraw %}', '{{ name }}'],
  ])('renders %s to the expected text', (template, expected) => {
    expect(render(template)).toBe(expected);
  });

  it.each([
    [
      '{% for tag in device.tags %}{{ loop.index }}/{{ loop.length }}:{{ tag.slug }}{{ "" if loop.last else "," }}{% endfor %}',
      '1/2:core,2/2:edge',
    ],
    ['{% for x in empty %}a{% else %}none{% endfor %}', 'none'],
    ['{% for k, v in {"a": 1}.items() %}{{ k }}={{ v }}{% endfor %}', 'a=1'],
    ['{% for x in range(6) if x is even %}{% if x == 4 %}{% break %}{% endif %}{{ x }}{% endfor %}', '02'],
    ['{% for x in [3, [4, 5]] recursive %}{{ loop(x) if x is iterable else x }}{% endfor %}', '345'],
    ['{% for x in "aab" %}{{ x if loop.changed(x) }}{{ loop.cycle("1", "2") }}{% endfor %}', 'a12b1'],
    ['{% if empty %}a{% elif device.tags %}b{% else %}c{% endif %}', 'b'],
    ['{% set a, b = 1, 2 %}{{ a + b }}', '3'],
    ['{% set a = 1 %}{% for x in [1] %}{% set a = 2 %}{% endfor %}{{ a }}', '1'],
    ['{% set ns = namespace(n=0) %}{% for x in [1, 2] %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}', '3'],
    ['{% set text | upper %}a{{ name }}{% endset %}{{ text }}', 'AX'],
    [
      '{% macro port(n, speed="1g") %}{{ n }}@{{ speed }}{% endmacro %}{{ port("e1") }} {{ port(speed="10g", n="e2") }}',
      'e1@1g e2@10g',
    ],
    ['{% macro box() %}[{{ caller("c") }}]{% endmacro %}{% call(x) box() %}{{ x }}{{ name }}{% endcall %}', '[cx]'],
    ['{% filter upper %}a{{ name }}{% endfilter %}', 'AX'],
    ['{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a is defined }}', '3False'],
    ['{% set list = [] %}{% do list.append(1) %}{% set _ = list.extend([2]) %}{{ list }}', '[1, 2]'],
    ['{% block head %}a{% endblock %}{% include "other" ignore missing %}', 'a'],
    ['{% set next = joiner() %}{{ next() }}a{{ next() }}b', 'a, b'],
  ])('renders statements to the expected text: %s', (template, expected) => {
    expect(render(template)).toBe(expected);
  });

  it('strips white space as requested', () => {
    expect(render('a  {%- if true -%}  b  {%- endif +%}  c\n')).toBe('ab  c');
    const lines = '{% if true %}\n  {# c #}\n  x\n  {% endif %}\ny\n';
    expect(render(lines)).toBe('\n  \n  x\n  \ny');
    const environment = { trim_blocks: true, lstrip_blocks: true, keep_trailing_newline: true };
    expect(renderTemplate(lines, {}, { environment })).toBe('  x\ny\n');
    expect(renderTemplate('a\r\nb\r\n', {}, { environment: { newline_sequence: '\r\n' } })).toBe('a\r\nb');
  });

  it('uses the delimiters and undefined type of its environment', () => {
    const environment = { variable_start_string: '<<', variable_end_string: '>>' };
    expect(renderTemplate('<< 1 >> {{ 2 }}', {}, { environment })).toBe('1 {{ 2 }}');
    const strict = { environment: { undefined: 'jinja2.StrictUndefined' } };
    expect(renderTemplate('{{ x is defined }}', {}, strict)).toBe('False');
    expect(() => renderTemplate('{{ x }}', {}, strict)).toThrow("'x' is undefined");
  });

  it('rejects invalid or unknown options of its environment', () => {
    expect(() => renderTemplate('', {}, { environment: { line_comment_prefix: '' } })).toThrow('A delimiter');
    expect(() => renderTemplate('', {}, { environment: { block_start_string: 5 } })).toThrow('string');
    expect(() => renderTemplate('', {}, { environment: { newline_sequence: 'x' } })).toThrow('newline_sequence');
    expect(() => renderTemplate('', {}, { environment: { finalize: 'os.system' } })).toThrow('finalize');
  });

  it.each([
    ['jinja2.ChainableUndefined', '{{ x.a["b"].c }}|{{ list.y.z }}', '|'],
    [
      'jinja2.DebugUndefined',
      '{{ x }}|{{ name.y }}|{{ list[9] }}',
      "{{ x }}|{{ no such element: str object['y'] }}|{{ undefined value printed: list object has no element 9 }}",
    ],
    ['jinja2.Undefined', '{{ x }}|{{ name.y }}', '|'],
  ])('prints undefined values as the type %s defines', (type, template, expected) => {
    const environment = { undefined: type };
    expect(renderTemplate(template, { name: 'text', list: [] }, { environment })).toBe(expected);
  });

  it.each([
    ['# for i in [1,2]\nv{{ i }}\n# endfor\n## note', 'v1\nv2\n'],
    ['a\n  # if true:\n b ## note\n#endif\nc', 'a\n b\nc'],
    ['# set x = [1,\n 2]\n{{ x }} # no statement', '[1, 2] # no statement'],
    ['a\n#- if true\nb\n# endif', 'ab\n'],
    ['{# comment #}\n# if false\nx\n# endif\n\nend', '\nend'],
  ])('supports line statements and comments: %j', (template, expected) => {
    const environment = { line_statement_prefix: '#', line_comment_prefix: '##' };
    expect(renderTemplate(template, {}, { environment })).toBe(expected);
  });

  it.each([
    ['{{ "<b>" }}{{ name }}', '&lt;b&gt;a&amp;b'],
    ['<i>{{ "<b>"|safe }}{{ name|safe }}</i>', '<i><b>a&b</i>'],
    ['{{ name|escape }}{{ name|safe|escape }}{{ name|safe|forceescape }}', 'a&amp;ba&ba&amp;b'],
    ['{% macro m(x) %}<b>{{ x }}</b>{% endmacro %}{{ m("<") }}', '<b>&lt;</b>'],
    ['{% set t %}<b>{{ name }}</b>{% endset %}{{ t }}{{ t|upper }}', '<b>a&amp;b</b>&lt;B&gt;A&amp;AMP;B&lt;/B&gt;'],
    ['{% block a %}<b>{% endblock %}{{ self.a() }}{{ {"x": "<"}|tojson }}', '<b><b>{"x": "\\u003c"}'],
  ])('escapes the output of expressions if autoescape is enabled: %s', (template, expected) => {
    expect(renderTemplate(template, { name: 'a&b' }, { environment: { autoescape: true } })).toBe(expected);
  });

  it.each([
    ['{{ x', 'unexpected end of template'],
    ['{% if x %}', "'if' is not closed"],
    ['{% endif %}', "unknown tag 'endif'"],
    ['{% nothing %}', "unknown tag 'nothing'"],
    ['{{ 1 + }}', 'expected an expression'],
    ['{{ (1] }}', "unexpected ']'"],
    ['{{ a ? b }}', 'unexpected char'],
    ['{% for x in y %}{% endif %}', "unknown tag 'endif'"],
    ['{% break %}', 'outside of a loop'],
    ['a\n{{ "b\nc" }}\n{{ ! }}', 'line 4'],
  ])('throws a syntax error before rendering: %s', (template, message) => {
    expect(() => checkTemplate(template)).toThrow(message);
    expect(() => checkTemplate(template)).toThrow(expect.objectContaining({ name: 'TemplateSyntaxError' }));
  });

  it.each([
    ['{{ missing.name }}', 'UndefinedError', "'missing' is undefined"],
    ['{{ device.missing.name }}', 'UndefinedError', "'dict object' has no attribute 'missing'"],
    ['{{ missing + 1 }}', 'UndefinedError', "'missing' is undefined"],
    ['{{ 1 / 0 }}', 'TemplateRuntimeError', 'division by zero'],
    ['{{ "a" + 1 }}', 'TemplateRuntimeError', 'unsupported operand'],
    ['{{ name() }}', 'TemplateRuntimeError', 'not callable'],
    ['{{ name | nothing }}', 'TemplateRuntimeError', "No filter named 'nothing'."],
    ['{{ name is nothing }}', 'TemplateRuntimeError', "No test named 'nothing'."],
    ['{{ name | upper(1) }}', 'TemplateRuntimeError', 'takes at most 0'],
    ['{% include "other" %}', 'TemplateNotFound', 'other'],
    ['{% for a, b in [[1]] %}{% endfor %}', 'TemplateRuntimeError', 'cannot unpack'],
  ])('throws an error with the expected name and message: %s', (template, name, message) => {
    expect(() => render(template)).toThrow(expect.objectContaining({ name }));
    expect(() => render(template)).toThrow(message);
  });

  it('passes objects as plain values to filters that the service defines', () => {
    const seen: unknown[] = [];
    const filters = { env: (...values: unknown[]) => (seen.push(values), values[0] === 'A' ? 'found' : null) };
    expect(renderTemplate('{{ "A" | env }} {{ device.site | env(1.5, [true]) }}', { device }, { filters })).toBe(
      'found None',
    );
    expect(seen).toEqual([['A'], ['Delta', 1.5, [true]]]);
  });
});
