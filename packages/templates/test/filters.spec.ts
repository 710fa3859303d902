import { describe, expect, it } from 'vitest';
import { TemplateError, TemplateRuntimeError } from '../src/index.js';
import { renderTemplate } from './render-without-time-limit.js';

const context = {
  rows: [
    { name: 'b10', vid: 10, role: { slug: 'user' }, up: true },
    { name: 'A2', vid: 2, role: { slug: 'voice' }, up: false },
    { name: 'c1', vid: 10, role: { slug: 'user' }, up: true },
  ],
  words: ['b', 'A', 'a', 'B'],
  dict: { b: 1, a: { c: '<&>' } },
  text: 'hello big world',
};

const render = (expression: string): string => renderTemplate(`{{ ${expression} }}`, context);

describe('template filters', () => {
  it.each([
    ['"a"|upper ~ "B"|lower ~ "cD e-f"|title ~ "xY"|capitalize', 'AbCd E-FXy'],
    ['none|default("x") ~ ""|default("y") ~ ""|default("z", true) ~ q|d', 'Nonez'],
    ['[1, "a"]|join(", ")', '1, a'],
    ['rows|join("/", attribute="name")', 'b10/A2/c1'],
    ['"aXa"|replace("a", "b") ~ "aaa"|replace("a", "b", 2)', 'bXbbba'],
    ['dict|tojson', '{"a": {"c": "\\u003c\\u0026\\u003e"}, "b": 1}'],
    ['[1, {"a": "é"}]|tojson(indent=2)', '[\n  1,\n  {\n    "a": "\\u00e9"\n  }\n]'],
    ['rows|length ~ "abc"|count ~ dict|length', '332'],
    ['words|first ~ words|last ~ []|first', 'bB'],
    ['words|sort', "['A', 'a', 'b', 'B']"],
    ['words|sort(case_sensitive=true)', "['A', 'B', 'a', 'b']"],
    ['[1, 3, 2]|sort(reverse=true)', '[3, 2, 1]'],
    ['rows|sort(attribute="vid,name")|map(attribute="name")|join(" ")', 'A2 b10 c1'],
    ['rows|map(attribute="role.slug")|list', "['user', 'voice', 'user']"],
    ['words|map("upper")|join', 'BAAB'],
    ['rows|map(attribute="nothing", default=0)|list', '[0, 0, 0]'],
    ['rows|selectattr("up")|map(attribute="name")|join(",")', 'b10,c1'],
    ['rows|selectattr("vid", "gt", 5)|list|length', '2'],
    ['rows|selectattr("role.slug", "in", ["voice"])|map(attribute="name")|join', 'A2'],
    ['rows|rejectattr("up")|map(attribute="name")|join', 'A2'],
    ['[1, 2, 3]|select("odd")|join ~ [1, 2, 3]|reject("odd")|join', '132'],
    ['words|unique|list', "['b', 'A']"],
    ['rows|unique(attribute="vid")|map(attribute="name")|join(",")', 'b10,A2'],
    ['"12"|int + "x"|int(7) + "0x1f"|int(base=16) + 3.9|int', '53'],
    ['"1.50"|float ~ " " ~ 2.5|round ~ " " ~ 2.345|round(2, "floor") ~ " " ~ 42|round', '1.5 2.0 2.34 42.0'],
    ['" a "|trim ~ "xxaxx"|trim("x")', 'aa'],
    ['text|truncate(9) ~ "|" ~ text|truncate(9, true, "~", 0)', 'hello...|hello bi~'],
    ['text|wordcount ~ text|wordwrap(6)|replace("\\n", "/")', '3hello/big/world'],
    ['"a\\nb"|indent(2) ~ "|" ~ "a\\n\\nb"|indent("> ", first=true)', 'a\n  b|> a\n\n> b'],
    ['"a"|center(5) ~ "|"', '  a  |'],
    ['"%s is %.1f"|format("x", 2)', 'x is 2.0'],
    ['"%(a)s"|format(a=1)', '1'],
    ['"<a href=\'x\'>"|escape ~ "<b>x</b>"|striptags ~ "<i>"|safe', '&lt;a href=&#39;x&#39;&gt;x<i>'],
    ['"a b/ü"|urlencode ~ {"q": "a b"}|urlencode', 'a%20b/%C3%BCq=a%20b'],
    ['[1, 2, 3]|sum ~ rows|sum(attribute="vid") ~ [3, 1]|max ~ [3, 1]|min', '62231'],
    ['[1, 2, 3]|batch(2, 0)|list', '[[1, 2], [3, 0]]'],
    ['[1, 2, 3]|slice(2)|list', '[[1, 2], [3]]'],
    ['rows|groupby("vid")|length', '2'],
    ['dict|dictsort|first', "['a', {'c': '<&>'}]"],
    ['dict|items|length ~ [1, 2]|reverse|list ~ "abc"|reverse', '2[2, 1]cba'],
    ['"abc"|list', "['a', 'b', 'c']"],
    ['-3|abs ~ 1000000|filesizeformat ~ 1536|filesizeformat(true)', '31.0 MB1.5 KiB'],
    ['dict|attr("b") ~ 5|string', '15'],
  ])('return the same result as in Jinja: %s', (expression, expected) => {
    expect(render(expression)).toBe(expected);
  });

  it('group items by an attribute', () => {
    const template =
      '{% for g in rows|groupby("vid") %}{{ g.grouper }}:{{ g.list|length }}{% for k in g.list %}{{ k.name }}{% endfor %};{% endfor %}';
    expect(renderTemplate(template, context)).toBe('2:1A2;10:2b10c1;');
    expect(
      renderTemplate('{% for vid, all in rows|groupby("vid") %}{{ vid }}{{ all|length }} {% endfor %}', context),
    ).toBe('21 102 ');
  });
});

describe('methods of values in templates', () => {
  it.each([
    ['"a,b,c".split(",", 1)', "['a', 'b,c']"],
    ['" a  b ".split() ~ "a-b-c".rsplit("-", 1)', "['a', 'b']['a-b', 'c']"],
    ['"Abc".upper() ~ "Abc".lower() ~ "abc def".title() ~ "aBC".capitalize() ~ "aB".swapcase()', 'ABCabcAbc DefAbcAb'],
    ['"  a ".strip() ~ "xax".lstrip("x") ~ "xax".rstrip("x")', 'aaxxa'],
    ['"eth0".startswith("eth") ~ "eth0".endswith(["1", "0"])', 'TrueTrue'],
    ['"a".ljust(3, ".") ~ "a".rjust(3) ~ "-7".zfill(4) ~ "a".center(3)', 'a..  a-007 a '],
    ['"banana".replace("an", "x", 1) ~ "banana".count("an") ~ "banana".find("n") ~ "banana".index("n")', 'bxana222'],
    ['"-".join(["a", "b"]) ~ "a=b=c".partition("=")|last ~ "a=b=c".rpartition("=")|first', 'a-bb=ca=b'],
    ['"12".isdigit() ~ "a1".isalpha() ~ "A".isupper() ~ "a".islower()', 'TrueFalseTrueTrue'],
    ['"a.b".removesuffix(".b") ~ "a.b".removeprefix("a.") ~ "a\\nb\\n".splitlines()', "ab['a', 'b']"],
    ['"{} {1} {name:>4} {n:.2f} {{}}".format("a", "b", name="x", n=1.5)', 'a b    x 1.50 {}'],
    [
      '{"a": 1}.get("b", 2) ~ {"a": 1}.keys()|list ~ {"a": 1}.values()|list ~ {"a": 1}.items()|list',
      "2['a'][1][['a', 1]]",
    ],
    ['[1, 2].index(2) ~ [1, 2, 1].count(1) ~ [1, 2].pop() ~ [1, 2].count()', '1222'],
    ['{"items": 1}["items"] ~ {"a": 1}.pop("a")', '11'],
  ])('return the same result as in Python: %s', (expression, expected) => {
    expect(render(expression)).toBe(expected);
  });
});

describe('strftime', () => {
  const times = {
    timestamp: '2026-11-05T14:07:09.123456+00:00',
    created: '2026-11-05T14:07:09.123Z',
    abroad: '2026-11-06T01:07:09+05:30',
    day: '2026-02-28',
  };

  it.each([
    ['timestamp|strftime', '2026-11-05'],
    ['timestamp|strftime("%d.%m.%Y %H:%M:%S.%f %z %Z")', '05.11.2026 14:07:09.123456 +0000 UTC'],
    [
      'timestamp|strftime("%a %A %b %B %e %y %I %p %j %w %u %F %T %%")',
      'Thu Thursday Nov November  5 26 02 PM 309 4 4 2026-11-05 14:07:09 %',
    ],
    ['timestamp|strftime("%s")', '1793887629'],
    ['created|strftime("%f")', '123000'],
    ['abroad|strftime("%F %H:%M")', '2026-11-05 19:37'],
    ['day|strftime("%H:%M %j")', '00:00 059'],
    ['"2026-01-01 00:00"|strftime(format="%p%I")', 'AM12'],
    ['0|strftime("%F")', '1970-01-01'],
    ['1793887629.5|strftime("%T.%f")', '14:07:09.500000'],
  ])('formats %s as %s', (expression, expected) => {
    expect(renderTemplate(`{{ ${expression} }}`, times)).toBe(expected);
  });

  it.each([
    '"soon"|strftime',
    '"2026-13-01"|strftime',
    '1e300|strftime',
    'none|strftime',
    'day|strftime("%Q")',
    'day|strftime("%")',
    'nothing|strftime',
  ])('rejects %s', (expression) => {
    expect(() => renderTemplate(`{{ ${expression} }}`, times)).toThrow(TemplateError);
  });
});

describe('finalize', () => {
  it('receives the output of each expression, but no literal text of the template', () => {
    const given: string[] = [];
    const finalize = (text: string): string => {
      given.push(text);
      return `<${text}>`;
    };
    const template =
      'a{% for x in [1, "b"] %}{{ x ~ "!" }}{% endfor %}{% set c %}{{ 2 }}{% endset %}{% if true %}z{% endif %}';
    expect(renderTemplate(template, {}, { finalize })).toBe('a<1!><b!>z');
    expect(given).toEqual(['1!', 'b!', '2']);
  });

  it('may throw an error to reject the output', () => {
    const finalize = (text: string): string => {
      throw new TemplateRuntimeError(`no ${text}`);
    };
    expect(() => renderTemplate('{{ 1 }}', {}, { finalize })).toThrow(new TemplateRuntimeError('no 1'));
  });
});
