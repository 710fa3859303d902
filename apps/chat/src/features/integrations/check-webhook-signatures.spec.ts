import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
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

/** Signature of a stored example request. The value contains placeholders, which {@link fillInSignature} replaces. */
interface FixtureSignature {
  readonly header: string;
  readonly value: string;
}

interface Fixture {
  readonly signature?: FixtureSignature;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

const fixtureFolder = join(import.meta.dirname, 'fixtures');
const readFixture = (path: string): Fixture =>
  JSON.parse(readFileSync(join(fixtureFolder, `${path}.json`), 'utf8')) as Fixture;

/**
 * Sends a stored example request to the webhook endpoint, with a signature header. Returns the HTTP status and the
 * message of the response.
 */
async function send(path: string, header: string, sign: (body: string) => string): Promise<[number, string]> {
  const { headers = {}, body } = readFixture(path);
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

/**
 * Returns the value of a signature header. `{sha256}` and `{sha512}` are HMACs of the body, `{timed-sha256}` is an HMAC
 * of the time, a full stop and the body. `{time}` is the time in seconds, and `{secret}` the secret itself.
 */
function fillInSignature(value: string, body: string, seconds = now()): string {
  const texts: Readonly<Record<string, string>> = {
    sha256: hmac('sha256', body),
    sha512: hmac('sha512', body),
    'timed-sha256': hmac('sha256', `${seconds}.`, body),
    time: String(seconds),
    secret,
  };
  return value.replaceAll(/\{([\w-]+)\}/g, (placeholder, name: string) => texts[name] ?? placeholder);
}

/** Stored example requests with a signature, at least one for each format whose sender signs requests. */
const signed = webhookFormats.flatMap(({ name }) =>
  readdirSync(join(fixtureFolder, name)).flatMap((file) => {
    const path = `${name}/${file.slice(0, -5)}`;
    const signature = file.endsWith('.json') ? readFixture(path).signature : undefined;
    return signature === undefined ? [] : [{ name, path, ...signature }];
  }),
);

const invalid = (header: string) => [400, `The signature in the header ${header} is missing or invalid`];

describe('POST /external/{name}: signatures of senders', () => {
  it('exist for every format whose senders sign requests', () => {
    const names = webhookFormats.flatMap(({ name, signature }) => (signature === undefined ? [] : [name]));
    expect([...new Set(signed.map(({ name }) => name))]).toEqual(names);
  });

  it.each(signed)('accepts only the valid signature of $path', async ({ path, header, value }) => {
    const sign = (body: string) => fillInSignature(value, body);
    expect(await send(path, header, sign)).toEqual([200, '']);
    expect(await send(path, header, (body) => sign(`${body} `).replace(secret, 'another'))).toEqual(invalid(header));
    expect(await send(path, header, () => '')).toEqual(invalid(header));
    expect(await send(path, header, () => 'x'.repeat(3_000))).toEqual(invalid(header));
  });

  it.each([-400, 400])('rejects a Stripe signature whose time is %d seconds from now', async (seconds) => {
    const { path, header, value } = signed.find(({ name }) => name === 'stripe')!;
    const sign = (body: string) => fillInSignature(value, body, now() + seconds);
    expect(await send(path, header, sign)).toEqual(invalid(header));
  });
});
