import { afterEach, describe, expect, it } from 'vitest';
import { createWebhookReceiver } from '../../src/webhook-receiver.js';
import { signatureHeaders } from '../../src/webhooks/signatures.js';

const printed: string[] = [];
const body = Buffer.from('{"event":"created","data":{"id":1}}');

function receiver(secret: string) {
  return createWebhookReceiver({ secret, print: (text) => void printed.push(text) });
}

afterEach(() => {
  printed.length = 0;
});

describe('the webhook receiver', () => {
  it('answers 200 and prints method, path, headers and the body readable', async () => {
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
  ])('says whether the signatures are of the secret %s', async (secret, verdict) => {
    const signed = signatureHeaders({ deliveryId: 'd1', body, secret: 'sesame', nowMs: Date.now() });
    await receiver(secret).inject({ method: 'POST', url: '/', headers: signed, payload: body });
    expect(printed[0]).toContain(verdict);
  });

  it('takes bodies of any type, none, and what is not signed', async () => {
    await receiver('sesame').inject({ method: 'POST', url: '/', headers: { 'content-type': 'x/y' }, payload: 'plain' });
    await receiver('').inject({ method: 'GET', url: '/' });
    expect(printed[0]).toContain('\nplain\n');
    expect(printed[0]).toContain('x-hook-signature: missing');
    expect(printed[1]).toContain('(no body)');
  });
});
