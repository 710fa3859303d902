import { describe, expect, it } from 'vitest';
import { formats } from './formats/index.js';
import { parsePayload } from './webhook-body.js';

/** Length of the repeated text in a payload: somewhat less than a body may have by default. */
const length = 1_900_000;
const repeat = (unit: string): string => unit.repeat(length / unit.length);

/** CPU time in milliseconds that any payload may take. Work that grows with the square of its size takes minutes. */
const maxCpuMs = 5_000;

/** Parses a payload and renders all of its messages. Returns the CPU time in milliseconds. */
function renderAll(name: string, body: unknown, header = ''): number {
  const json = JSON.stringify(body);
  const format = formats.find((one) => one.name === name)!;
  const start = process.cpuUsage();
  const pending = format.read({ payload: parsePayload(json), header, options: {} });
  for (const one of pending.slice(0, 50)) expect(one.render({ hasOwnTopic: true }).text).not.toBe('');
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const github = {
  action: 'opened',
  sender: { login: 'ada' },
  repository: { name: 'router', full_name: 'acme/router', html_url: 'https://github.com/acme/router' },
};
const issueOf = (body: string) => ({
  ...github,
  issue: { number: 1, title: repeat('[`'), html_url: 'https://github.com/acme/router/issues/1', body },
});
const manyKeys = (value: unknown) =>
  Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`k${index}`, value]));

describe('payloads of the largest size', () => {
  it.each(['<http://a', '<@a|', '<mailto:', '*a', '_a ', '`', '```\n', '&lt;'])(
    'take little time in the markup of Slack: %j',
    (unit) => {
      expect(renderAll('slack_incoming', { text: repeat(unit) })).toBeLessThan(maxCpuMs);
    },
  );

  it.each(['{code:', '{{', '[a|', '[~', '*a', '['])('take little time in the markup of Jira: %j', (unit) => {
    const body = { webhookEvent: 'comment_created', issue: { key: 'A', fields: {} }, comment: { body: repeat(unit) } };
    expect(renderAll('jira', body)).toBeLessThan(maxCpuMs);
  });

  it.each(['<!--', '\n', '> ', '```\n'])('take little time in quoted text: %j', (unit) => {
    expect(renderAll('github', issueOf(repeat(unit)), 'issues')).toBeLessThan(maxCpuMs);
  });

  it('take little time with very many fields', () => {
    const data = { object: { object: 'customer', id: 'cus_1', ...manyKeys(1) }, previous_attributes: manyKeys(2) };
    expect(renderAll('stripe', { type: 'customer.updated', data })).toBeLessThan(maxCpuMs);
    const alerts = [{ status: 'firing', labels: manyKeys('x') }];
    expect(renderAll('grafana', { alerts })).toBeLessThan(maxCpuMs);
  });
});
