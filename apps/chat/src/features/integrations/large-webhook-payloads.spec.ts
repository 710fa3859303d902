import { describe, expect, it } from 'vitest';
import { webhookFormats } from './formats/index.js';
import { parseWebhookPayload } from './parse-webhook-body.js';

/**
 * Length, in characters, of the repeated text in a payload. The length is slightly below the default size limit of a
 * request body.
 */
const length = 1_900_000;
const repeat = (unit: string): string => unit.repeat(length / unit.length);

/**
 * Maximum CPU time in milliseconds for any payload. Work whose duration grows with the square of the payload size would
 * take minutes.
 */
const maxCpuMs = 5_000;

/** Parses a webhook payload and renders all of its messages. Returns the texts of the messages. */
function textsOf(name: string, body: unknown, header = ''): string[] {
  const format = webhookFormats.find((one) => one.name === name)!;
  const pending = format.read({ payload: parseWebhookPayload(JSON.stringify(body)), header, options: {} });
  return pending.slice(0, 50).map((one) => one.render({ hasOwnTopic: true }).text);
}

/** Parses a webhook payload and renders all of its messages. Returns the CPU time in milliseconds. */
function renderAll(name: string, body: unknown, header = ''): number {
  const start = process.cpuUsage();
  for (const text of textsOf(name, body, header)) expect(text).not.toBe('');
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

describe('webhook payloads of the largest size', () => {
  it.each(['<http://a', '<@a|', '<mailto:', '*a', '_a ', '`', '```\n', '&lt;'])(
    'render within the CPU time limit with Slack markup: %j',
    (unit) => {
      expect(renderAll('slack_incoming', { text: repeat(unit) })).toBeLessThan(maxCpuMs);
    },
  );

  it.each(['{code:', '{{', '[a|', '[~', '*a', '['])('render within the CPU time limit with Jira markup: %j', (unit) => {
    const body = { webhookEvent: 'comment_created', issue: { key: 'A', fields: {} }, comment: { body: repeat(unit) } };
    expect(renderAll('jira', body)).toBeLessThan(maxCpuMs);
  });

  it.each([
    ['many', '[a|https://xxxxxxxxxxxx'],
    ['long', `[a|https://${'x'.repeat(9_900)}`],
  ])('render within the CPU time limit with unclosed Jira links: %s', (_name, unit) => {
    const body = unit.repeat(9_999 / unit.length);
    const payload = { webhookEvent: 'comment_created', issue: { key: 'A', fields: {} }, comment: { body } };
    const times = Array.from({ length: 100 }, () => renderAll('jira', payload));
    expect(times.reduce((sum, time) => sum + time)).toBeLessThan(maxCpuMs);
  });

  it('render only as many Slack blocks as one message can contain', () => {
    const text = '*a* '.repeat(2_000);
    const section = { type: 'section', text: { text }, fields: [{ text }, { text }] };
    const blocks = Array.from({ length: 30 }, () => section);
    for (const body of [{ blocks }, { attachments: [{ blocks }, { text }] }]) {
      const [shown = ''] = textsOf('slack_incoming', body);
      expect(shown.length).toBeGreaterThan(20_000);
      expect(shown.length).toBeLessThan(50_000);
    }
  });

  it.each(['<!--', '\n', '> ', '```\n'])(
    'render within the CPU time limit with a GitHub issue of repeated markup: %j',
    (unit) => {
      expect(renderAll('github', issueOf(repeat(unit)), 'issues')).toBeLessThan(maxCpuMs);
    },
  );

  it('render within the CPU time limit with 40,000 fields', () => {
    const data = { object: { object: 'customer', id: 'cus_1', ...manyKeys(1) }, previous_attributes: manyKeys(2) };
    expect(renderAll('stripe', { type: 'customer.updated', data })).toBeLessThan(maxCpuMs);
    const alerts = [{ status: 'firing', labels: manyKeys('x') }];
    expect(renderAll('grafana', { alerts })).toBeLessThan(maxCpuMs);
  });
});
