import { describe, expect, it } from 'vitest';
import { LazyList, TemplateRendering, type TemplateLimits } from '../src/index.js';

/** Renders a template over a lazy list of numbered objects. At most three objects are read at a time. */
function render(
  template: string,
  count: number,
  options: { limits?: Partial<TemplateLimits>; length?: number; nowMs?: () => number } = {},
) {
  const { limits = {}, length = 100, ...clock } = options;
  const row = (n: number) => ({ n, text: `${n}`.padEnd(10, '.') });
  const rendering = new TemplateRendering(
    template,
    { rows: new LazyList(count, row(0)) },
    { limits: { timeoutMs: 60_000, ...limits }, pauseAfterMs: 1000, ...clock },
  );
  const requests: number[] = [];
  let [text, part] = ['', rendering.renderNextPart()];
  for (;;) {
    text += part.text;
    if (part.isDone) return { text, requests };
    const from = part.requested?.from;
    if (from !== undefined) requests.push(from);
    const items = [0, 1, 2].flatMap((at) => ((from ?? 0) + at < count ? [row((from ?? 0) + at)] : []));
    part = rendering.renderNextPart(from === undefined ? undefined : { items, lengths: items.map(() => length) });
  }
}

describe('TemplateRendering with a LazyList', () => {
  it('reads rows in parts and supports adjacent items across parts', () => {
    const template =
      '{% for r in rows %}{{ loop.previtem.n if not loop.first }}<{{ r.n }}>{{ loop.nextitem.n if not loop.last }} {{ loop.revindex }}{{ "." if loop.last else "," }}{% endfor %}';
    const { text, requests } = render(template, 5);
    expect(text).toBe('<0>1 5,0<1>2 4,1<2>3 3,2<3>4 2,3<4> 1.');
    expect(requests).toEqual([0, 3]);
  });

  it('supports break, continue, conditions, and loops in blocks', () => {
    const rounds =
      '{% for r in rows %}{% if r.n == 1 %}{% continue %}{% endif %}{% if r.n == 3 %}{% break %}{% endif %}{{ r.n }}{% endfor %}';
    expect(render(rounds, 9)).toEqual({ text: '02', requests: [0, 3] });
    expect(render('{% for r in rows if r.n > 2 %}{{ loop.index }}{{ r.n }} {% endfor %}', 5).text).toBe('13 24 ');
    expect(render('{% set t %}{% for r in rows %}{{ r.n }}{% endfor %}{% endset %}{{ t|upper }}', 4).text).toBe('0123');
  });

  it.each([
    '{{ rows|sort|length }}',
    '{{ rows|list }}',
    '{{ rows|join }}',
    '{{ rows|last }}',
    '{{ rows[1:2] }}',
    '{{ 1 in rows }}',
    '{{ rows }}',
    '{{ rows|tojson }}',
    '{{ [1] + rows }}',
    '{% macro m() %}{% for r in rows %}{% endfor %}{% endmacro %}{{ m() }}',
    '{% for r in rows %}{% for s in rows %}{% endfor %}{% endfor %}',
  ])('rejects the template %s', (template) => {
    expect(() => render(template, 5)).toThrow(expect.objectContaining({ name: 'TemplateRuntimeError' }));
  });

  it('rejects loop.last in a filtered loop, and a sixth loop over the same list', () => {
    expect(() => render('{% for r in rows if r.n %}{{ loop.last }}{% endfor %}', 5)).toThrow(/does not know its end/);
    expect(() => render('{% for i in range(6) %}{% for r in rows %}{% endfor %}{% endfor %}', 5)).toThrow(
      /more than 5 times/,
    );
  });

  it.each([
    ['nothing', '{{ r.n }}', [false, false]],
    ['texts', '{% do stored.append(r.text) %}', [false, false]],
    ['an object', '{% if r.n == 1 %}{% do stored.append(r) %}{% endif %}', [false, true]],
  ])('returns isRetained in the next request after the template has stored %s', (_what, body, expected) => {
    const row = (n: number) => ({ n, text: `${n}` });
    const template = `{% set stored = [] %}{% for r in rows %}${body}{% endfor %}`;
    const rendering = new TemplateRendering(template, { rows: new LazyList(4, row(0)) }, { pauseAfterMs: 1000 });
    const first = rendering.renderNextPart().requested;
    const second = rendering.renderNextPart({ items: [0, 1, 2].map(row), lengths: [20, 20, 20] }).requested;
    expect([first?.isRetained, second?.isRetained]).toEqual(expected);
  });

  it('counts the memory of a row only if the template stores the row beyond its iteration', () => {
    const limits = { maxAllocatedSize: 10_000 };
    const store = (expression: string): string =>
      `{% set l = [] %}{% for r in rows %}{% do l.append(${expression}) %}{% endfor %}{{ l|length }}`;
    const run = (template: string) => () => render(template, 50, { limits, length: 1000 }).text;
    expect(run('{% for r in rows %}{{ r.text }}{% endfor %}')().length).toBe(500);
    expect(run(store('r.n'))()).toBe('50');
    expect(run(store('r.text'))()).toBe('50');
    expect(run(store('r'))).toThrow(expect.objectContaining({ limit: 'memory' }));
    const inNamespace = '{% set ns = namespace(l=[]) %}{% for r in rows %}{% set ns.l = ns.l + [r] %}{% endfor %}';
    expect(run(inNamespace)).toThrow(expect.objectContaining({ limit: 'memory' }));
  });

  it('extends the time limit for each row that a loop begins', () => {
    let now = 0;
    const nowMs = (): number => (now += 1);
    const limits = { timeoutMs: 500, rowMs: 500 };
    const rows = '{% for r in rows %}{% for x in range(100) %}{{ x }}{% endfor %}{% endfor %}';
    expect(render(rows, 30, { limits, nowMs }).text.length).toBe(30 * 190);
    const slow = '{% for r in rows %}{% for x in range(9000) %}{{ x }}{% endfor %}{% endfor %}';
    expect(() => render(slow, 30, { limits, nowMs })).toThrow(expect.objectContaining({ limit: 'time' }));
  });

  it('does not extend the time limit when a loop begins the same rows again', () => {
    let now = 0;
    const nowMs = (): number => (now += 1);
    const skipping = '{% for i in range(5) %}{% for r in rows if false %}{% endfor %}{% endfor %}';
    const endless = '{% for x in range(90000) %}{{ x }}{% endfor %}';
    const limits = { timeoutMs: 1_000, rowMs: 1_000 };
    expect(render(skipping + endless, 30, { limits, nowMs }).text).not.toBe('');
    const limited = { limits: { ...limits, maxTimeoutMs: 2_000 }, nowMs };
    expect(() => render(skipping + endless, 30, limited)).toThrow(expect.objectContaining({ limit: 'time' }));
  });

  it('pauses during loops, and limits the time between two pauses', () => {
    let now = 0;
    const options = { nowMs: (): number => (now += 1), limits: { timeoutMs: 100_000, maxMsBetweenPauses: 100 } };
    const loop = new TemplateRendering(
      '{% for i in range(5000) %}{{ i }}{% endfor %}',
      {},
      { ...options, pauseAfterMs: 20 },
    );
    let parts = 1;
    while (!loop.renderNextPart().isDone) parts += 1;
    expect(parts).toBeGreaterThan(100);
    const expression = new TemplateRendering(
      '{{ range(90000)|map("string")|list|length }}',
      {},
      { ...options, pauseAfterMs: 20 },
    );
    expect(() => expression.renderNextPart()).toThrow(expect.objectContaining({ limit: 'time' }));
  });
});
