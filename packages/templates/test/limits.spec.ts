import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { renderTemplate, TemplateLimitError, type TemplateLimit, type TemplateLimits } from '../src/index.js';

/**
 * Returns the processor time of this process in milliseconds. Unlike real time, processor time does not depend on other
 * processes.
 */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Renders a template. Returns the name of the limit that the template exceeds, and the processor time in milliseconds
 * until then.
 */
function limitOf(template: string, limits: Partial<TemplateLimits> = {}): { limit: TemplateLimit; tookMs: number } {
  const startMs = processorMs();
  try {
    renderTemplate(template, { text: 'abc' }, { limits });
  } catch (error) {
    if (!(error instanceof TemplateLimitError)) throw error;
    return { limit: error.limit, tookMs: processorMs() - startMs };
  }
  throw new Error('The template was rendered');
}

const endless = '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}';
const manyLoops =
  '{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}';
const doubled =
  '{% set ns = namespace(t="abcdefgh") %}{% for x in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}';

describe('limits of a rendering', () => {
  it('include a time limit, which is checked throughout the rendering', () => {
    let now = 0;
    const nowMs = (): number => (now += 1);
    const template = '{% for x in range(90000) %}{{ x }}{% endfor %}';
    const run = (): string => renderTemplate(template, {}, { nowMs });
    expect(run).toThrow(expect.objectContaining({ limit: 'time', message: 'The template takes longer than 100 ms' }));
    expect(now).toBeLessThan(110);
  });

  it('count only the time in which the thread uses the CPU', () => {
    const sleep = (): number =>
      Number(Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000) === 'timed-out');
    const template = '{% for x in range(2) %}{{ x|sleep }}{% for y in range(900) %}{{ y }}{% endfor %}{% endfor %}';
    const rendering = renderTemplate(template, {}, { limits: { timeoutMs: 900 }, filters: { sleep } });
    expect(rendering.startsWith('10123')).toBe(true);
  });

  it('end an endless template while another thread is busy', async () => {
    const worker = new Worker('for (;;);', { eval: true });
    try {
      expect(limitOf(manyLoops, { maxLoopSteps: Infinity, maxAllocatedSize: Infinity }).limit).toBe('time');
    } finally {
      await worker.terminate();
    }
  });

  it('end a rendering that exceeds its CPU time', () => {
    const limits = { maxLoopSteps: Infinity, maxAllocatedSize: Infinity };
    const { limit, tookMs } = limitOf(manyLoops, limits);
    expect(limit).toBe('time');
    expect(tookMs).toBeLessThan(1000);
  });

  it('end long comparisons and strip calls within the time limit', () => {
    const long = '{% set t = "a" * 900000 %}{% set l = [t ~ "b", t ~ "c", t ~ "d"] * 9000 %}';
    for (const template of [`${long}{{ l|sort|length }}`, `${long}{% for x in l %}{{ 1 if x == l[1] }}{% endfor %}`]) {
      const { limit, tookMs } = limitOf(template, { maxAllocatedSize: Infinity });
      expect(limit).toBe('time');
      expect(tookMs).toBeLessThan(2000);
    }
    const strip = '{{ ("a" * 400000).strip("b" * 400000 ~ "a")|length }}';
    expect(renderTemplate(strip, {}, { limits: { timeoutMs: 2000 } })).toBe('0');
  });

  it('count the time for parsing the template', () => {
    let now = 0;
    const nowMs = (): number => (now += 10);
    expect(() => renderTemplate('{{ 1 }}'.repeat(5000), {}, { nowMs })).toThrow(
      expect.objectContaining({ limit: 'time' }),
    );
  });

  it('include the length of the output, up to the exact limit', () => {
    const limits = { maxOutputBytes: 10, timeoutMs: 60_000 };
    expect(renderTemplate('{{ "é" * 5 }}', {}, { limits })).toBe('ééééé');
    expect(limitOf('{{ "é" * 5 }}.', limits).limit).toBe('output');
    expect(limitOf('{% for x in range(2000) %}{{ "0123456789" * 100 }}{% endfor %}', { timeoutMs: 60_000 }).limit).toBe(
      'output',
    );
  });

  it('include the number of loop iterations in total', () => {
    const limits = { maxLoopSteps: 10, timeoutMs: 60_000 };
    expect(renderTemplate('{% for x in range(10) %}{{ x }}{% endfor %}', {}, { limits })).toBe('0123456789');
    expect(limitOf('{% for x in range(11) %}{% endfor %}', limits).limit).toBe('steps');
    expect(limitOf('{% for x in range(4) %}{% for y in range(4) %}{% endfor %}{% endfor %}', limits).limit).toBe(
      'steps',
    );
    expect(limitOf('{{ range(11)|map("upper")|join }}', limits).limit).toBe('steps');
    expect(limitOf('{{ range(100001) }}').limit).toBe('steps');
    expect(limitOf(manyLoops).limit).toMatch(/steps|memory|time/);
  });

  it.each([
    ['a text that is repeated', '{{ "a" * 10 ** 12 }}'],
    ['a list that is repeated', '{{ [1] * 10 ** 12 }}'],
    ['a text that doubles', doubled],
    [
      'a list that doubles',
      '{% set ns = namespace(t=[1]) %}{% for x in range(60) %}{% set ns.t = ns.t + ns.t %}{% endfor %}',
    ],
    ['a list that extends itself', '{% set l = [1] %}{% for x in range(60) %}{% do l.extend(l) %}{% endfor %}'],
    ['a wide field', '{{ "a"|center(10 ** 12) }}'],
    ['a wide field of a method', '{{ "a".ljust(10 ** 12) }}'],
    ['a wide field of a format', '{{ "%999999999d" % 1 }}'],
    ['a wide field of format()', '{{ "{:>999999999}".format(1) }}'],
    ['zeros', '{{ "1".zfill(10 ** 12) }}'],
    ['an indent', '{{ "a\nb"|indent(10 ** 12) }}'],
    ['a replacement', '{{ ("a" * 100000)|replace("a", "b" * 100000) }}'],
    ['a replacement of nothing', '{{ ("a" * 100000).replace("", "b" * 100000) }}'],
    ['a join', '{{ range(90000)|join("a" * 90000) }}'],
    ['a join of a method', '{{ ("a" * 90000).join(range(90000)) }}'],
    ['a batch', '{{ [1]|batch(10 ** 12, 0) }}'],
    ['columns', '{{ [1]|slice(10 ** 12, 0) }}'],
    ['a wrapping', '{{ ("a" * 1000)|wordwrap(1, wrapstring="b" * 100000) }}'],
    [
      'texts of a method that are kept',
      '{% set l = [] %}{% set t = "a" * 500000 %}{% for i in range(9999) %}{% do l.append(t.upper()) %}{% endfor %}',
    ],
    [
      'texts of a filter that are kept',
      '{% set l = [] %}{% set t = "a" * 500000 %}{% for i in range(9999) %}{% do l.append(t|urlencode) %}{% endfor %}',
    ],
    ['a search for a long text', '{% set t = "a" * 900000 %}{{ t.find("b" ~ "a" * 400000) }}'],
    ['a search for a long text by in', '{% set t = "a" * 900000 %}{{ ("b" ~ "a" * 400000) in t }}'],
    ['a search for a long text by split', '{% set t = "a" * 900000 %}{{ t.split("b" ~ "a" * 400000)|length }}'],
    ['a search for a long text by replace', '{% set t = "a" * 900000 %}{{ t|replace("b" ~ "a" * 400000, "")|length }}'],
    ['a captured text', '{% set x %}{% for i in range(99999) %}{{ "a" * 1000 }}{% endfor %}{% endset %}'],
    [
      'a macro',
      '{% macro m() %}{{ "a" * 100000 }}{% endmacro %}{% for i in range(9999) %}{% set x = m() %}{% endfor %}',
    ],
    [
      'JSON of one list many times',
      '{% set a = range(9000)|list %}{{ [a, a, a, a, a, a, a, a, a] * 200 | int }}{{ ([a] * 900)|tojson }}',
    ],
  ])('end the rendering before the template allocates the memory for %s', (_what, template) => {
    const { limit, tookMs } = limitOf(template, { timeoutMs: 60_000, maxLoopSteps: Infinity });
    expect(limit).toMatch(/memory|output/);
    expect(tookMs).toBeLessThan(2000);
  });

  it.each([
    ['macros that call themselves', endless],
    [
      'a loop that calls itself',
      '{% set l = [1] %}{% do l.append(l) %}{% for x in l recursive %}{{ loop(l) }}{% endfor %}',
    ],
    ['a list that holds itself', '{% set l = [] %}{% do l.append(l) %}{{ l }}'],
    ['a list that holds itself, as JSON', '{% set l = [] %}{% do l.append(l) %}{{ l|tojson }}'],
    ['lists that are compared with themselves', '{% set l = [] %}{% do l.append(l) %}{% set m = [l] %}{{ l == m }}'],
    ['brackets', `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`],
    ['lists', `{{ ${'['.repeat(5000)}${']'.repeat(5000)} }}`],
    ['signs', `{{ ${'- '.repeat(5000)}1 }}`],
    ['negations', `{{ ${'not '.repeat(5000)}1 }}`],
    ['a long sum', `{{ 1${' + 1'.repeat(5000)} }}`],
    ['members of members', `{{ text${'.a'.repeat(5000)} }}`],
    ['filters after filters', `{{ 1${'|string'.repeat(5000)} }}`],
    ['choices in choices', `{{ ${'1 if 1 else '.repeat(5000)}1 }}`],
    ['blocks in blocks', '{% if 1 %}'.repeat(5000)],
    ['targets in targets', `{% set ${'('.repeat(5000)}a${')'.repeat(5000)} = 1 %}`],
  ])('include the depth of %s', (_what, template) => {
    expect(limitOf(template, { timeoutMs: 60_000 }).limit).toBe('depth');
  });

  it.each([
    ['an unclosed comment', `${'{#'.repeat(100_000)}`],
    ['tags that are never closed', '<'.repeat(100_000)],
    ['blanks', `{{ 1${' '.repeat(200_000)} }}`],
    ['openings without an end', `{{ "${'{% '.repeat(50_000)}" }}`],
  ])('process %s in linear time', (_what, template) => {
    const startMs = performance.now();
    try {
      renderTemplate(template, {}, { limits: { timeoutMs: 60_000 } });
      renderTemplate('{{ t|striptags }}', { t: template }, { limits: { timeoutMs: 60_000 } });
    } catch (error) {
      expect(error).toMatchObject({ name: 'TemplateSyntaxError' });
    }
    expect(performance.now() - startMs).toBeLessThan(2000);
  });
});
