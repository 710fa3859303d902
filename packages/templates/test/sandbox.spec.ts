import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TemplateError, TemplateObject } from '../src/index.js';
import { renderTemplate } from './render-without-time-limit.js';

const secret = 'out of reach';

/** Creates template variables with one value of each type. */
const context = (): Record<string, unknown> => ({
  text: 'text',
  number: 1,
  list: [1, [2]],
  dict: { key: 'value' },
  object: new TemplateObject('site', { slug: 'site', nested: { a: 1 } }),
});

const escapes = [
  '{{ text.constructor }}',
  '{{ text["constructor"] }}',
  '{{ text|attr("constructor") }}',
  '{{ [text]|map(attribute="constructor")|list }}',
  '{{ [text]|map(attribute="constructor.constructor")|list }}',
  '{{ text.constructor.constructor("return process")() }}',
  '{{ list.constructor }}',
  '{{ list["constructor"]["constructor"]("return globalThis")() }}',
  '{{ dict.constructor }}',
  '{{ dict.__proto__ }}',
  '{{ dict["__proto__"] }}',
  '{{ dict["__pro" ~ "to__"]["polluted"] }}',
  '{{ dict|attr("__proto__") }}',
  '{{ object.constructor }}',
  '{{ object.__proto__ }}',
  '{{ object.fields.constructor }}',
  '{{ object.json.slug }}',
  '{{ number.constructor }}',
  '{{ range.constructor("return process")() }}',
  '{{ range.call }}{{ range.call.call() }}',
  '{{ range["apply"](1) }}',
  '{{ text.upper.constructor }}',
  '{{ text.upper.__globals__ }}',
  '{{ namespace.constructor }}',
  '{{ namespace().constructor }}',
  '{{ cycler.__init__.__globals__.os.popen("id").read() }}',
  '{{ "".__class__.__mro__[1].__subclasses__() }}',
  '{{ ().__class__.__base__ }}',
  '{{ [].__class__ }}',
  '{{ {}.__class__ }}',
  '{{ none.__class__ }}',
  '{{ true.__class__ }}',
  '{{ "{0.__class__}".format(text) }}',
  '{{ "{0.constructor}".format(text) }}',
  '{{ "{0[constructor]}".format(text) }}',
  '{{ "{a.b}".format(a=dict) }}',
  '{% macro m() %}{% endmacro %}{{ m.constructor }}',
  '{% macro m() %}{% endmacro %}{{ m.__globals__ }}',
  '{% macro m() %}{{ caller.constructor }}{% endmacro %}{% call m() %}{% endcall %}',
  '{% for x in [1] %}{{ loop.constructor }}{% endfor %}',
  '{% for x in [1] %}{{ loop.__class__ }}{% endfor %}',
  '{% for x in list.__iter__() %}{% endfor %}',
  '{{ process.env }}',
  '{{ globalThis.process }}',
  '{{ require("fs").readFileSync("/etc/passwd") }}',
  '{{ self.__dict__ }}',
  '{{ self._TemplateReference__context }}',
  '{{ config.items() }}',
  '{{ request.application.__globals__ }}',
  '{{ lipsum.__globals__["os"] }}',
  '{{ this.constructor.constructor("return process")() }}',
  '{{ toString.constructor() }}',
  '{{ hasOwnProperty("a") }}',
  '{% set x = text.constructor %}{{ x("return 1")() }}',
  '{% set ns = namespace() %}{% set ns.__proto__ = dict %}{{ ns.constructor }}',
  '{% set text.constructor = 1 %}',
  '{% import "os" as os %}',
  '{% from "child_process" import exec %}',
  '{% include "/etc/passwd" %}',
  '{% extends "../../../etc/passwd" %}',
  '{{ text|constructor }}',
  '{{ text|__proto__ }}',
  '{{ text|toString }}',
  '{{ text is constructor }}',
  '{{ text is __proto__ }}',
  '{{ list|map("constructor")|list }}',
  '{{ list|select("__proto__")|list }}',
];

describe('template sandbox', () => {
  it.each(escapes)('throws TemplateError for %s', (template) => {
    expect(() => renderTemplate(template, context())).toThrow(TemplateError);
  });

  it.each([
    ['{{ prototype }}{{ constructor }}{{ __proto__ }}{{ process }}{{ Object }}{{ eval }}', ''],
    ['{{ dict.toString }}{{ dict.valueOf }}{{ dict.hasOwnProperty }}', ''],
    ['{{ text.length }}{{ list.length }}{{ list.map }}{{ text.at }}', ''],
    ['{{ {"__proto__": 1}.items()|list }}', "[['__proto__', 1]]"],
    ['{{ {"__proto__": 1}["__proto__"] }}', '1'],
    ['{{ dict(__proto__=2)|tojson }}', '{"__proto__": 2}'],
  ])('returns undefined for %s', (template, expected) => {
    const rendered = expected.includes('"__proto__": 2')
      ? renderTemplate(template, {})
      : renderTemplate(template, context());
    expect(rendered).toBe(expected);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('does not change the values that the service passes to the template', () => {
    const given = { list: [1, 2], dict: { a: [1] } };
    const template =
      '{% do list.append(3) %}{% do dict.update({"b": 1}) %}{% do dict.a.clear() %}{{ list|length }}{{ dict|length }}';
    expect(renderTemplate(template, given)).toBe('32');
    expect(given).toEqual({ list: [1, 2], dict: { a: [1] } });
  });

  it('throws TemplateError for values that are not plain data', () => {
    const withGetter = new (class Session {
      get token(): string {
        return secret;
      }
    })();
    expect(() => renderTemplate('{{ x.token }}', { x: withGetter })).toThrow(TemplateError);
    expect(() => renderTemplate('{{ x() }}', { x: () => secret })).toThrow(TemplateError);
    expect(() => renderTemplate('{{ a.x }}', { a: { x: () => secret } })).toThrow(TemplateError);
  });

  it('passes only plain values to filters of the service', () => {
    const filters = { show: (value: unknown) => JSON.stringify(value) };
    expect(renderTemplate('{{ dict|show }}', context(), { filters })).toBe('{"key":"value"}');
    expect(() => renderTemplate('{{ range|show }}', context(), { filters })).toThrow(TemplateError);
    expect(() => renderTemplate('{{ text.upper|show }}', context(), { filters })).toThrow(TemplateError);
    expect(renderTemplate('{{ {"__proto__": {"polluted": 1}}|show }}', {}, { filters })).toContain('polluted');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('throws TemplateError or returns text for any random template', () => {
    const words =
      '{{ }} {% %} {# #} if for in x set = | . [ ] ( ) { } " \' - ~ * ** : , 1 endfor endif raw constructor';
    const pieces = fc.constantFrom('\n', ...words.split(' ').map((word) => ` ${word} `), ...words.split(' '));
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        try {
          expect(typeof renderTemplate(parts.join(''), { x: [1] })).toBe('string');
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
