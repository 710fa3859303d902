import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  verifySignatureHeader,
  verifyWebhook,
  WebhookHeaderError,
  WebhookSignatureError,
  WebhookTimestampError,
  WebhookVerificationError,
  type WebhookRequestHeaders,
} from '../src/receiver.js';
import { generateWebhookSecret, signWebhook, type WebhookSigningScheme } from '../src/index.js';

/** Example request that libraries of the Standard Webhooks specification use in their tests. */
const example = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  body: '{"test": 2432232314}',
  nowMs: 1_614_265_330_000,
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
};
const now = (): number => example.nowMs;

/** Verifies the example request, in which the argument replaces some headers. */
const verifyExample = (
  headers: Record<string, string | string[] | undefined>,
  secret: string | string[] = example.secret,
) => verifyWebhook(example.body, { ...example.headers, ...headers }, secret, { now });

describe('verifyWebhook', () => {
  it('accepts the example of the specification', () => {
    const verified = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampMs: example.nowMs };
    expect(verifyExample({})).toEqual(verified);
    expect(verifyWebhook(Buffer.from(example.body), example.headers, example.secret, { now })).toEqual(verified);
  });

  it.each<[string, WebhookRequestHeaders]>([
    ['a Fetch Headers object', new Headers(example.headers)],
    [
      'names in mixed case',
      Object.fromEntries(
        Object.entries(example.headers).map(([name, value]) => [name.replace('webhook', 'Webhook'), value]),
      ),
    ],
    [
      'a repeated signature header',
      { ...example.headers, 'webhook-signature': ['v1,AAAA', example.headers['webhook-signature']] },
    ],
  ])('accepts headers given as %s', (_, headers) => {
    expect(verifyWebhook(example.body, headers, example.secret, { now }).timestampMs).toBe(example.nowMs);
  });

  it('accepts a body that is not UTF-8', () => {
    const [body, secret] = [Buffer.from([0xff, 0x00, 0xfe]), generateWebhookSecret()];
    const headers = signWebhook({ id: 'a', body, secrets: [secret], nowMs: example.nowMs });
    expect(verifyWebhook(body, headers, secret, { now }).id).toBe('a');
  });

  it('accepts one matching signature among several signatures and secrets', () => {
    const others = 'v1,AAAA v1a,bm8= v2,bm8= ';
    const signature = others + example.headers['webhook-signature'];
    expect(verifyExample({ 'webhook-signature': signature }, ['another', example.secret]).timestampMs).toBe(
      example.nowMs,
    );
    expect(() => verifyExample({ 'webhook-signature': others })).toThrow(WebhookSignatureError);
  });

  it.each<[string, { body?: string; headers?: Record<string, string>; secret?: string }]>([
    ['another body', { body: '{"test": 2432232315}' }],
    ['another id', { headers: { 'webhook-id': 'msg_other' } }],
    ['another time', { headers: { 'webhook-timestamp': '1614265331' } }],
    ['another secret', { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx' }],
    ['the encoded secret as key', { secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
    ['another version', { headers: { 'webhook-signature': example.headers['webhook-signature'].replace('v1', 'v2') } }],
    ['a truncated signature', { headers: { 'webhook-signature': example.headers['webhook-signature'].slice(0, -4) } }],
  ])('refuses %s', (_, { body = example.body, headers = {}, secret = example.secret }) => {
    const refused = (): unknown => verifyWebhook(body, { ...example.headers, ...headers }, secret, { now });
    expect(refused).toThrow(WebhookSignatureError);
    expect(refused).toThrow(WebhookVerificationError);
  });

  it.each([
    [-301, false],
    [-300, true],
    [0, true],
    [300, true],
    [301, false],
  ])('compares the time with the tolerance at an age of %s s', (ageSeconds, isAccepted) => {
    const at = (): number => example.nowMs + ageSeconds * 1000;
    const verified = (): unknown => verifyWebhook(example.body, example.headers, example.secret, { now: at });
    if (isAccepted) expect(verified()).toMatchObject({ timestampMs: example.nowMs });
    else expect(verified).toThrow(WebhookTimestampError);
  });

  it('uses the tolerance that the caller supplies, and refuses a tolerance that is not a number', () => {
    const at = (): number => example.nowMs + 10_000;
    const verified = (toleranceSeconds: number) => () =>
      verifyWebhook(example.body, example.headers, example.secret, { now: at, toleranceSeconds });
    expect(verified(10)()).toMatchObject({ timestampMs: example.nowMs });
    expect(verified(9)).toThrow(WebhookTimestampError);
    expect(verified(Number.NaN)).toThrow(WebhookTimestampError);
  });

  it.each([
    ['webhook-id', undefined],
    ['webhook-id', ''],
    ['webhook-id', 'two.parts'],
    ['webhook-id', ['a', 'b']],
    ['webhook-timestamp', undefined],
    ['webhook-timestamp', '1614265330.5'],
    ['webhook-timestamp', '-1614265330'],
    ['webhook-timestamp', '0x60377f32'],
    ['webhook-timestamp', 'now'],
    ['webhook-signature', undefined],
    ['webhook-signature', ''],
  ])('refuses the header %s with the value %j', (name, value) => {
    const refused = (): unknown => verifyExample({ [name]: value });
    expect(refused).toThrow(WebhookHeaderError);
    expect(refused).toThrow(name);
  });

  it('refuses a genuine signature when the id was extended by a part of the signed text', () => {
    const secret = generateWebhookSecret();
    const body = '1614265330.{}';
    const headers = signWebhook({ id: 'a', body: Buffer.from(body), secrets: [secret], nowMs: example.nowMs });
    const shifted = { ...headers, 'webhook-id': 'a.1614265330' };
    expect(verifyWebhook(body, headers, secret, { now }).id).toBe('a');
    expect(() => verifyWebhook('{}', shifted, secret, { now })).toThrow(WebhookHeaderError);
  });

  it('throws for a missing secret and for a parsed body', () => {
    expect(() => verifyExample({}, '')).toThrow(RangeError);
    expect(() => verifyExample({}, [])).toThrow(RangeError);
    expect(() => verifyExample({}, [example.secret, ''])).toThrow(RangeError);
    const parsed: never = JSON.parse(example.body) as never;
    expect(() => verifyWebhook(parsed, example.headers, example.secret, { now })).toThrow(TypeError);
  });

  it('imports no module except node:crypto', () => {
    const imported = new Set<string>();
    const visit = (file: URL): void => {
      const source = readFileSync(file, 'utf8');
      for (const [, name = ''] of source.matchAll(/(?:from|import) '([^']+)'/g)) {
        if (!name.startsWith('.')) imported.add(name);
        else {
          const next = new URL(name.replace(/\.js$/, '.ts'), file);
          expect(existsSync(next)).toBe(true);
          visit(next);
        }
      }
    };
    visit(new URL('../src/receiver.ts', import.meta.url));
    expect([...imported]).toEqual(['node:crypto']);
  });
});

describe('signWebhook', () => {
  const body = Buffer.from('{}');
  const delivery = { id: 'a', body, secrets: ['new', 'old'], nowMs: example.nowMs };

  it('signs with all secrets during a rotation', () => {
    const headers = signWebhook(delivery);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of ['new', 'old']) expect(verifyWebhook(body, headers, secret, { now }).id).toBe('a');
    expect(() => verifyWebhook(body, headers, 'older', { now })).toThrow(WebhookSignatureError);
  });

  it('sends only id and time without a secret', () => {
    expect(signWebhook({ ...delivery, secrets: [] })).toEqual({ 'webhook-id': 'a', 'webhook-timestamp': '1614265330' });
  });

  it('adds headers of the declared signature schemes and of custom functions', () => {
    const github = { header: 'X-Hub-Signature-256', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' } as const;
    const list = { header: 'x-all', algorithm: 'sha512', encoding: 'base64', separator: ', ' } as const;
    const schemes: WebhookSigningScheme[] = [
      github,
      list,
      ({ secrets, id }) => ({ 'X-Custom': `${secrets.join('+')} ${id}` }),
    ];
    const headers = signWebhook(delivery, schemes);
    const digest = createHmac('sha256', 'new').update(body).digest('hex');
    expect(headers).toMatchObject({ 'x-hub-signature-256': `sha256=${digest}`, 'x-custom': 'new+old a' });
    expect(headers).not.toHaveProperty('webhook-signature');
    verifySignatureHeader(body, headers, 'new', github);
    expect(() => verifySignatureHeader(body, headers, 'old', github)).toThrow(WebhookSignatureError);
    for (const secret of ['new', 'old']) verifySignatureHeader(body, headers, [secret], list);
    expect(() => verifySignatureHeader('other', headers, 'new', list)).toThrow(WebhookSignatureError);
    expect(() => verifySignatureHeader(body, {}, 'new', list)).toThrow(WebhookHeaderError);
    expect(() => verifySignatureHeader(body, headers, '', list)).toThrow(RangeError);
  });

  it('prevents a custom function from replacing the id and the timestamp', () => {
    const scheme = (): Record<string, string> => ({ 'Webhook-Id': 'b', 'webhook-timestamp': '0' });
    expect(signWebhook(delivery, [scheme])).toEqual({ 'webhook-id': 'a', 'webhook-timestamp': '1614265330' });
  });

  it('uses a secret that contains no valid key as plain text', () => {
    const headers = signWebhook({ ...delivery, secrets: ['whsec_A'] });
    const signed = `a.1614265330.${body.toString()}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', 'whsec_A').update(signed).digest('base64')}`);
  });
});

describe('generateWebhookSecret', () => {
  it('returns different keys of 32 bytes', () => {
    const [one, other] = [generateWebhookSecret(), generateWebhookSecret()];
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(other).not.toBe(one);
  });
});
