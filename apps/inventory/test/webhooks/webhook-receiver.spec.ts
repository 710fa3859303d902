import { afterEach, describe, expect, it } from 'vitest';
import { createWebhookReceiver, readReceiverOptions } from '../../src/webhook-receiver.js';
import { createWebhookSignatureHeaders } from '../../src/destinations/webhook/signatures.js';

const printed: string[] = [];
const body = Buffer.from('{"event":"created","data":{"id":1}}');

function receiver(secret: string, rest: { failRate?: number; delayMs?: number; random?: () => number } = {}) {
  return createWebhookReceiver({ ...rest, secret, print: (text) => void printed.push(text) });
}

afterEach(() => {
  printed.length = 0;
});

describe('npm run webhook-receiver', () => {
  it('responds 200 and prints the request', async () => {
    const response = await receiver('').inject({
      method: 'PATCH',
      url: '/a/b?c=1',
      headers: { 'content-type': 'application/json', 'x-key': 'k' },
      payload: body,
    });
    expect(response.statusCode).toBe(200);
    expect(printed[0]).toContain('PATCH /a/b?c=1');
    expect(printed[0]).toContain('x-key: k');
    expect(printed[0]).toContain('{\n  "event": "created",\n  "data": {\n    "id": 1\n  }\n}');
    expect(printed[0]).not.toContain('signature');
  });

  it.each([
    ['sesame', 'x-hook-signature: verified, webhook-signature: verified'],
    ['other', 'x-hook-signature: WRONG, webhook-signature: WRONG'],
  ])('verifies signatures with the secret %s', async (secret, verdict) => {
    const signed = createWebhookSignatureHeaders({ deliveryId: 'd1', body, secret: 'sesame', nowMs: Date.now() });
    await receiver(secret).inject({ method: 'POST', url: '/', headers: signed, payload: body });
    expect(printed[0]).toContain(verdict);
  });

  it('accepts bodies of any type, no body, and unsigned requests', async () => {
    await receiver('sesame').inject({ method: 'POST', url: '/', headers: { 'content-type': 'x/y' }, payload: 'plain' });
    await receiver('').inject({ method: 'GET', url: '/' });
    expect(printed[0]).toContain('\nplain\n');
    expect(printed[0]).toContain('x-hook-signature: missing');
    expect(printed[1]).toContain('(no body)');
  });

  it('verifies either signature while a secret is being replaced', async () => {
    const signed = createWebhookSignatureHeaders({
      deliveryId: 'd',
      body,
      secret: 'new',
      formerSecrets: ['old'],
      nowMs: Date.now(),
    });
    for (const secret of ['new', 'old'])
      await receiver(secret).inject({ method: 'POST', url: '/', headers: signed, payload: body });
    expect(printed[0]).toContain('(x-hook-signature: verified, webhook-signature: verified)');
    expect(printed[1]).toContain('(x-hook-signature: WRONG, webhook-signature: verified)');
  });

  it('prints a warning for requests with old timestamps', async () => {
    const signed = createWebhookSignatureHeaders({ deliveryId: 'd', body, secret: 's', nowMs: Date.now() - 400_000 });
    await receiver('s').inject({ method: 'POST', url: '/', headers: signed, payload: body });
    expect(printed[0]).toContain('webhook-signature: verified, webhook-timestamp: MORE THAN 300 s from now');
  });

  it('responds 500 to the share of requests in --fail-rate, and prints each such response', async () => {
    const dice = [0.2, 0.3, 0.9];
    const server = receiver('', { failRate: 0.3, random: () => dice.shift() ?? 0 });
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await server.inject({ method: 'POST', url: '/x', payload: body })).statusCode);
    expect(statuses).toEqual([500, 200, 200]);
    expect(printed[0]).toContain('POST /x -> 500');
    expect(printed[1]).toContain('POST /x -> 200');
  });

  it('delays responses as requested', async () => {
    const started = performance.now();
    expect((await receiver('', { delayMs: 40 }).inject({ method: 'POST', url: '/' })).statusCode).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(39);
  });

  it('parses its command line options, and rejects invalid options', () => {
    expect(readReceiverOptions([])).toEqual({ port: 9000, host: '127.0.0.1', secret: '', failRate: 0, delayMs: 0 });
    const args = ['--port=9100', '--host', '0.0.0.0', '--secret', 's', '--fail-rate', '0.25', '--delay', '300'];
    const read = { port: 9100, host: '0.0.0.0', secret: 's', failRate: 0.25, delayMs: 300 };
    expect(readReceiverOptions(args)).toEqual(read);
    for (const name of ['fail-rate', 'delay', 'port', 'speed'])
      expect(() => readReceiverOptions([`--${name}=often`]), name).toThrow(`--${name}`);
  });
});
