import { isLongTestRun } from '@switchboard/testing';
import { describe, expect, it } from 'vitest';
import { templateFilters } from '../src/filters/index.js';
import { templateTests } from '../src/filters/template-tests.js';
import { templateDictMethods, templateListMethods } from '../src/run/collection-methods.js';
import { templateTextMethods } from '../src/run/text-methods.js';
import { PendingLoad, renderTemplate, TemplateError, TemplateObject, TemplateRendering } from '../src/index.js';

/**
 * Template expressions of values that cause much work, because the values are long, repetitive, or similar to a
 * searched text.
 */
const subjects = [
  '"<!--" * 100000',
  '"<" * 300000',
  '"%(" * 150000',
  '"{" * 300000',
  '"é" * 300000',
  '" " * 300000',
  '"&1" * 150000',
  'entries',
  // One word, lines, a list: these also get arguments.
  '"a" * 300000',
  '"a,\\n" * 100000',
  'l',
];
const [word = '', , list = ''] = subjects.slice(-3);

const longArguments = ['t', '"b" ~ t', 'l', '"a", t', 'attribute=paths'];

const t = 'a'.repeat(100_000);
/** Variables of the tested templates: a long text, list, path and dictionary. */
const context = {
  t,
  l: Array.from({ length: 30_000 }, () => `${t}b`),
  paths: 'real,a.b,'.repeat(20_000),
  entries: Object.fromEntries(Array.from({ length: 20_000 }, (_, number) => [`k${number}`, number])),
};

/**
 * Returns the processor time of this process in milliseconds. Unlike real time, processor time does not depend on other
 * processes.
 */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Number of calls of {@link slow}. */
let callCount = 0;

/**
 * Returns all templates in a long run. A short run renders every third one of a long list, another third in each call, so
 * that each value meets many filters.
 */
function selectTemplates(bodies: readonly string[]): readonly string[] {
  callCount += 1;
  return isLongTestRun() || bodies.length <= 5 ? bodies : bodies.filter((_, index) => (index + callCount) % 3 === 0);
}

/**
 * Renders templates with a limit of 6 ms. Returns the templates that take far longer, because they work too long
 * between two checks of the clock.
 */
function slow(bodies: readonly string[]): string[] {
  return selectTemplates(bodies).flatMap((body) => {
    const startMs = processorMs();
    try {
      renderTemplate(body, context, { limits: { timeoutMs: 6 }, nowMs: processorMs });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
    }
    const tookMs = processorMs() - startMs;
    return tookMs > 400 ? [`${Math.round(tookMs)} ms: ${body}`] : [];
  });
}

const called = (name: string, values: readonly string[]): (readonly [value: string, call: string])[] =>
  values.flatMap((value) => longArguments.map((some) => [value, `${name}(${some})`] as const));

describe('time limit of a rendering', () => {
  it.each([...templateFilters.keys()])('stops the filter %s in time', (name) => {
    const bare = subjects.map((value) => [value, name] as const);
    const bodies = [...bare, ...called(name, [list])].map(([value, call]) => `{{ (${value})|${call}|length }}`);
    expect(slow(bodies)).toEqual([]);
  });

  it.each([...templateTests.keys()].filter((name) => /^\w+$/.test(name)))('stops the test %s in time', (name) => {
    const bodies = called(name, [list]).map(([value, call]) => `{{ (${value}) is ${call} }}`);
    expect(slow([`{{ (${word}) is ${name} }}`, ...bodies])).toEqual([]);
  });

  it.each(['format', ...templateTextMethods.keys()])('stops the string method %s', (name) => {
    const bare = subjects.slice(0, -1).map((value) => [value, `${name}()`] as const);
    const bodies = [...bare, ...called(name, [word])].map(([value, call]) => `{{ (${value}).${call} }}`);
    // A single call costs little; repeated calls must be limited too.
    const again = ['t', 'l'].map((some) => `{% for i in range(9999) %}{% set x = "a".${name}(${some}) %}{% endfor %}`);
    expect(slow([...bodies, ...again])).toEqual([]);
  });

  it.each([...templateListMethods.keys()])('stops the list method %s', (name) => {
    expect(
      slow(called(name, [list]).map(([, call]) => `{% for i in range(9999) %}{% do l.${call} %}{% endfor %}`)),
    ).toEqual([]);
  });

  it.each([
    ['escapes in a text', `{{ "${'\\n'.repeat(4_000_000)}" }}`],
    ['line breaks in a text', `{{ "${'\n'.repeat(8_000_000)}" }}`],
    ['line breaks in a tag', `{{ 1 ${'\n'.repeat(8_000_000)} }}`],
    ['quotes', `{{ ${'"" '.repeat(2_000_000)} }}`],
    ['backslashes before the end', `{{ "${'\\\\'.repeat(2_000_000)}`],
  ])('stops parsing many %s in time', (_case, template) => {
    expect(slow([template]).map((found) => found.slice(0, 50))).toEqual([]);
  });

  it.each([...templateDictMethods.keys()])('stops the dictionary method %s in time', (name) => {
    const bodies = ['', 't', 'entries'].map(
      (some) => `{% for i in range(9999) %}{% do entries.${name}(${some}) %}{% endfor %}`,
    );
    expect(slow(bodies)).toEqual([]);
  });
});

/**
 * Renders a macro that changes a list in a loop and then needs a load, so that the changes are undone. Returns the
 * processor time in milliseconds until the load, or until the end of the rendering.
 */
function undoMs(rounds: number, change: string): number {
  const items = Array.from({ length: 300_000 }, (_, number) => number);
  const object = new TemplateObject('x', {}, { find: () => new PendingLoad(() => Promise.resolve()) });
  const template = `{% macro m() %}{% for i in range(${rounds}) %}{% do ${change} %}{% endfor %}{{ object.y }}{% endmacro %}{{ m() }}`;
  const rendering = new TemplateRendering(
    template,
    { items, object },
    { limits: { timeoutMs: 1000, maxAllocatedSize: 1e9 }, nowMs: processorMs, pauseAfterMs: 1e9 },
  );
  const startMs = processorMs();
  try {
    rendering.renderNextPart();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
  }
  return processorMs() - startMs;
}

describe('undoing a statement that needs a load', () => {
  it.each([
    [1000, 'items.pop(0)'],
    [1000, 'items.remove(i)'],
    [1000, 'items.insert(0, i)'],
  ])('takes bounded time after %i calls of %s', (rounds, change) => {
    expect(undoMs(rounds, change)).toBeLessThan(1600);
  });
});

describe('pop of a dictionary', () => {
  it('takes constant time', () => {
    const template = '{% for i in range(2000) %}{% do entries.pop("k" ~ i) %}{% endfor %}{{ entries|length }}';
    expect(renderTemplate(template, context, { limits: { timeoutMs: 60_000 } })).toBe('18000');
  });
});

describe('striptags', () => {
  it.each([
    ['a<!-- b > c -->d', 'ad'],
    ['<b>bold</b>\n <i\nclass="x">italic</i>', 'bold italic'],
    ['1 < 2', '1 < 2'],
    ['a <!-- never closed', 'a <!-- never closed'],
    [`<p title="${'x'.repeat(5000)}">long</p>`, 'long'],
  ])('removes the tags and comments from %j', (text, expected) => {
    expect(renderTemplate('{{ text|striptags }}', { text })).toBe(expected);
  });
});
