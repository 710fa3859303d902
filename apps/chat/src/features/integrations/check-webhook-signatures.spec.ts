import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from '../../../test/chat-server.js';
import { webhookFormats } from './index.js';

const secret = 'whsec_open sesame';
const hmac = (algorithm: string, ...parts: string[]): string =>
  createHmac(algorithm, secret).update(parts.join('')).digest('hex');

let cluster: ChatCluster;
let chat: ChatProcess;
let key: string;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  const hamlet = await signIn(chat, 'hamlet');
  const { body } = await hamlet.client.post<{ api_key: string }>('/api/v1/bots', {
    form: {
      full_name: 'Signed',
      short_name: 'signed',
      bot_type: '2',
      config_data: JSON.stringify({ webhook_secret: secret }),
    },
  });
  key = body.api_key;
});
afterAll(() => cluster.stop());

interface Fixture {
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

/**
 * Sends a stored example request to the webhook endpoint, with a signature header. Returns the HTTP status and the
 * message of the response.
 */
async function send(path: string, header: string, sign: (body: string) => string): Promise<[number, string]> {
  const text = readFileSync(join(import.meta.dirname, 'fixtures', `${path}.json`), 'utf8');
  const { headers = {}, body } = JSON.parse(text) as Fixture;
  const payload = JSON.stringify(body, null, 1);
  const [name = ''] = path.split('/');
  const response = await chat.client.post<{ msg: string }>(`/api/v1/external/${name}`, {
    query: { api_key: key, stream: 'Verona' },
    payload,
    headers: { 'content-type': 'application/json', ...headers, [header]: sign(payload) },
    unchecked: true,
  });
  return [response.status, response.body.msg];
}

const now = (): number => Math.floor(Date.now() / 1000);
const stripeSignature = (seconds: number, body: string): string =>
  `t=${seconds},v1=${hmac('sha256', `${seconds}.`, body)},v0=${'0'.repeat(64)}`;

type Signed = readonly [path: string, header: string, sign: (body: string) => string];

const signed: readonly Signed[] = [
  ['github/push-commits', 'X-Hub-Signature-256', (body) => `sha256=${hmac('sha256', body)}`],
  ['gitlab/push', 'X-Gitlab-Token', () => secret],
  ['gitea/push', 'X-Gitea-Signature', (body) => hmac('sha256', body)],
  ['grafana/firing', 'X-Grafana-Alerting-Signature', (body) => hmac('sha256', body)],
  ['jira/issue-created', 'X-Hub-Signature', (body) => `sha256=${hmac('sha256', body)}`],
  ['netbox/prefix-updated', 'X-Hook-Signature', (body) => hmac('sha512', body)],
  ['pagerduty/triggered', 'X-PagerDuty-Signature', (body) => `v1=${'0'.repeat(64)},v1=${hmac('sha256', body)}`],
  ['sentry/event-alert', 'Sentry-Hook-Signature', (body) => hmac('sha256', body)],
  ['stripe/charge-failed', 'Stripe-Signature', (body) => stripeSignature(now(), body)],
];

const invalid = (header: string) => [400, `The signature in the header ${header} is missing or invalid`];

describe('POST /external/{name}: signatures of senders', () => {
  it('exist for every format whose senders sign requests', () => {
    const names = webhookFormats.flatMap(({ name, signature }) => (signature === undefined ? [] : [name]));
    expect(signed.map(([path]) => path.split('/')[0]).toSorted()).toEqual(names.toSorted());
  });

  it.each(signed)('accepts only the valid signature of %s', async (path, header, sign) => {
    expect(await send(path, header, sign)).toEqual([200, '']);
    expect(await send(path, header, (body) => sign(`${body} `).replace(secret, 'another'))).toEqual(invalid(header));
    expect(await send(path, header, () => '')).toEqual(invalid(header));
    expect(await send(path, header, () => 'x'.repeat(3_000))).toEqual(invalid(header));
  });

  it.each([-400, 400])('rejects a Stripe signature whose time is %d seconds from now', async (seconds) => {
    const sign = (body: string) => stripeSignature(now() + seconds, body);
    expect(await send('stripe/charge-failed', 'Stripe-Signature', sign)).toEqual(invalid('Stripe-Signature'));
  });
});
