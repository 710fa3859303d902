import { describe, expect, it } from 'vitest';
import { PendingLoad, type TemplateSource, TemplateObject, TemplateRendering } from '../src/index.js';
import { checkTemplate, renderTemplate } from './render-without-time-limit.js';

const codes: Readonly<Record<string, string>> = {
  'part.j2': 'part of {{ name }}{% set name = "other" %}',
  'outer.j2': '<{% include "part.j2" %}>',
  'missing-inside.j2': '{% include "nowhere.j2" %}',
  'broken.j2': 'line\n{% if %}',
  'self.j2': '{% include "self.j2" %}',
  'ring-a.j2': '{% include "ring-b.j2" %}',
  'ring-b.j2': '{% include "ring-a.j2" %}',
  'ring-base.j2': '{% extends "main.j2" %}',
  'macros.j2':
    '{% macro port(n, up=true) %}port {{ n }}{{ "" if up else " down" }}{% endmacro %}{% set speed = 100 %}{% set _own = 1 %}text{{ name }}',
  'with-name.j2': '{% macro hi() %}hi {{ name }}{% endmacro %}',
  'base.j2':
    '[{% block head %}base head{% endblock %}|{% block body %}base body{% endblock %}|{{ self.head() }}]{{ title }}',
  'middle.j2': '{% extends "base.j2" %}{% block head %}middle {{ super() }}{% endblock %}',
  'required.j2': '{% block text required %}{% endblock %}',
  'loop.j2':
    '{% for i in [1, 2] %}{% block one scoped %}{{ i }}{% endblock %}{% block two %}{{ i }}{% endblock %}{% endfor %}',
};

/** Template files for tests. A file is read when a template first names the file. Records the loads. */
class Files implements TemplateSource {
  readonly templateName = 'main.j2';
  readonly loads: string[] = [];
  readonly #known = new Map<string, string | null>();

  find(name: string): string | null | PendingLoad {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    return new PendingLoad(async () => {
      await Promise.resolve();
      this.loads.push(name);
      this.#known.set(name, Object.hasOwn(codes, name) ? (codes[name] ?? null) : null);
    });
  }
}

/**
 * Renders a template that can include the templates in {@link codes}. Returns the text and the names of the loaded
 * files.
 */
async function render(template: string, limits = {}): Promise<{ text: string; loads: readonly string[] }> {
  const files = new Files();
  const rendering = new TemplateRendering(
    template,
    { name: 'r1', items: [1, 2], object: new TemplateObject('x', {}) },
    { files, pauseAfterMs: 1000, limits: { timeoutMs: 60_000, ...limits } },
  );
  for (let text = ''; ;) {
    const part = rendering.renderNextPart();
    text += part.text;
    if (part.isDone) return { text, loads: files.loads };
    await part.load?.run();
  }
}

describe('include', () => {
  it.each([
    ['{% include "part.j2" %} {{ name }}', 'part of r1 r1'],
    ['{% include "part.j2" without context %}', 'part of '],
    ['{% for name in items %}{% include "part.j2" %},{% endfor %}', 'part of 1,part of 2,'],
    ['{% include "outer.j2" %}', '<part of r1>'],
    ['{% include ["nowhere.j2", "part.j2"] %}', 'part of r1'],
    ['{% set file = "part" %}{% include file ~ ".j2" %}', 'part of r1'],
    ['a{% include "nowhere.j2" ignore missing %}b', 'ab'],
    ['{% include "nowhere.j2" ignore missing without context %}', ''],
    ['{% macro m() %}{% include "part.j2" %}{% endmacro %}{{ m()|upper }}', 'PART OF R1'],
    ['{% include "middle.j2" %}', '[middle base head|base body|middle base head]'],
  ])('renders %s', async (template, expected) => {
    expect((await render(template)).text).toBe(expected);
  });

  it('loads each template file once', async () => {
    const { loads } = await render('{% for i in items %}{% include "outer.j2" %}{% include "part.j2" %}{% endfor %}');
    expect(loads).toEqual(['outer.j2', 'part.j2']);
  });

  it.each([
    ['{% include "nowhere.j2" %}', 'TemplateNotFound', 'nowhere.j2'],
    ['{% include ["a", "b"] %}', 'TemplateNotFound', 'none of the templates given were found: a, b'],
    ['{% include "missing-inside.j2" ignore missing %}', 'TemplateNotFound', 'nowhere.j2'],
    ['{% include nothing ignore missing %}', 'UndefinedError', "'nothing' is undefined"],
    ['{% include 5 %}', 'TemplateRuntimeError', 'The name of a template must be a text'],
    ['{% include "broken.j2" %}', 'TemplateSyntaxError', /^broken\.j2: .* \(line 2\)$/],
  ])('rejects %s', async (template, name, message) => {
    await expect(render(template)).rejects.toMatchObject({
      name,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it.each([
    ['{% include "self.j2" %}', 'self.j2'],
    ['{% include "ring-a.j2" %}', 'ring-a.j2'],
    ['{% include "main.j2" %}', 'main.j2'],
    ['{% extends "main.j2" %}', 'main.j2'],
    ['{% extends "ring-base.j2" %}', 'main.j2'],
    ['{% import "self.j2" as x %}', 'self.j2'],
  ])('rejects the circular reference of %s', async (template, name) => {
    await expect(render(template)).rejects.toThrow(`The template '${name}' includes, imports or extends itself`);
  });

  it('counts files towards the limits of the rendering', async () => {
    const many = '{% for i in range(2000) %}{% include "part.j2" %}{% endfor %}';
    await expect(render(many, { maxOutputBytes: 1000 })).rejects.toMatchObject({ limit: 'output' });
    await expect(render('{% include "macros.j2" %}', { maxAllocatedSize: 100 })).rejects.toMatchObject({
      limit: 'memory',
    });
    await expect(render('{% include "outer.j2" %}', { maxDepth: 2 })).rejects.toMatchObject({ limit: 'depth' });
  });
});

describe('import', () => {
  it.each([
    ['{% import "macros.j2" as m %}{{ m.port(1) }} {{ m.port(2, up=false) }} {{ m.speed }}', 'port 1 port 2 down 100'],
    ['{% from "macros.j2" import port as p, speed %}{{ p(3) }} {{ speed }}', 'port 3 100'],
    ['{% from "macros.j2" import nothing %}[{{ nothing }}]', '[]'],
    ['{% import "with-name.j2" as m %}{{ m.hi() }}|', 'hi |'],
    ['{% import "with-name.j2" as m with context %}{{ m.hi() }}', 'hi r1'],
    ['{% from "with-name.j2" import hi with context %}{{ hi() }}', 'hi r1'],
    [
      '{% for i in items %}{% import "macros.j2" as m %}{{ m.port(i) }};{% endfor %}{{ m is defined }}',
      'port 1;port 2;False',
    ],
  ])('renders %s', async (template, expected) => {
    expect((await render(template)).text).toBe(expected);
  });

  it.each([
    ['{% import "macros.j2" as m %}{{ m._own }}', 'SecurityError'],
    ['{% from "macros.j2" import port, %}{{ port.constructor }}', 'SecurityError'],
    ['{% from "macros.j2" import nothing %}{{ nothing() }}', 'UndefinedError'],
    ['{% import "nowhere.j2" as m %}', 'TemplateNotFound'],
  ])('rejects %s', async (template, name) => {
    await expect(render(template)).rejects.toMatchObject({ name });
  });
});

describe('extends', () => {
  it.each([
    ['{% extends "base.j2" %}{% block body %}own{% endblock %}', '[base head|own|base head]'],
    [
      '{% extends "middle.j2" %}{% block head %}own {{ super() }}{% endblock %}',
      '[own middle base head|base body|own middle base head]',
    ],
    [
      '{% extends "base.j2" %}ignored{% set title = "!" %}{% block body %}{{ title }}{% endblock %}',
      '[base head|!|base head]!',
    ],
    ['before {% extends "base.j2" %}', 'before [base head|base body|base head]'],
    ['{% if name %}{% extends "base.j2" %}{% endif %}', '[base head|base body|base head]'],
    [
      '{% extends "base.j2" %}{% import "macros.j2" as m %}{% block body %}{{ m.port(1) }}{% endblock %}',
      '[base head|port 1|base head]',
    ],
    [
      '{% extends "loop.j2" %}{% block one %}({{ i }}){% endblock %}{% block two %}({{ i }}){% endblock %}',
      '(1)()(2)()',
    ],
    ['{% extends "required.j2" %}{% block text %}given{% endblock text %}', 'given'],
    ['{% block a %}alone{% endblock %} {{ self.a()|upper }}', 'alone ALONE'],
    [
      '{% extends "base.j2" %}{% block body %}{% include "part.j2" %}{% endblock %}',
      '[base head|part of r1|base head]',
    ],
  ])('renders %s', async (template, expected) => {
    expect((await render(template)).text).toBe(expected);
  });

  it.each([
    ['{% include "required.j2" %}', "Required block 'text' not found"],
    ['{% extends "base.j2" %}{% extends "loop.j2" %}', 'extended multiple times'],
    ['{% block a %}{{ super() }}{% endblock %}', "there is no parent block called 'a'."],
    ['{% extends "nowhere.j2" %}', 'nowhere.j2'],
  ])('rejects %s', async (template, message) => {
    await expect(render(template)).rejects.toThrow(message);
  });

  it.each([
    ['{% for i in [1] %}{% extends "base.j2" %}{% endfor %}', 'cannot use extends from a non top-level scope'],
    ['{% block a %}{% endblock %}{% block a %}{% endblock %}', "block 'a' defined twice"],
    ['{% block a %}{% block a %}{% endblock %}{% endblock %}', "block 'a' defined twice"],
    ['{% block a required %}text{% endblock %}', 'Required blocks can only contain comments or whitespace'],
    ['{% block a %}{% endblock b %}', 'expected the end of the tag'],
    ['{% for i in [1] %}{% block a %}{% break %}{% endblock %}{% endfor %}', "'break' outside of a loop"],
    ['{% from "x" import _hidden %}', 'names starting with an underline can not be imported'],
    ['{% from "x" import %}', 'expected a name'],
    ['{% import "x" %}', "expected 'as'"],
    ['a\n{% include "x" %}', "'include' needs other templates, and there are none here (line 2)"],
    ['{% if a %}{% import "x" as x %}{% endif %}', "'import' needs other templates"],
    ['{% from "x" import y %}', "'from' needs other templates"],
    ['{% extends "x" %}', "'extends' needs other templates"],
  ])('throws a syntax error for %s', (template, message) => {
    expect(() => checkTemplate(template)).toThrow(message);
  });
});

describe('renderTemplate with names of other templates', () => {
  it.each(['{% include "a" %}', '{% extends "a" %}', '{% import "a" as a %}', '{% from "a" import b %}'])(
    'throws TemplateNotFound for %s',
    (template) => {
      expect(() => renderTemplate(template, {})).toThrow(
        expect.objectContaining({ name: 'TemplateNotFound', message: 'a' }),
      );
    },
  );
});
