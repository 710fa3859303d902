import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '@switchboard/testing';
import { quickSettings, WebhookTestEnvironment, siteChange } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
});
afterEach(() => rig.reset());
afterAll(() => rig.close());

const noRetries = quickSettings({ retry: { ...quickSettings().retry, retries: 0 } });

describe('webhook delivery', () => {
  it('contains the default body, two signatures, and the id of its database row', async () => {
    const target = await rig.receiver();
    await rig.addWebhook(`${target.url}/hook?x=1`, { secret: 'sesame', http_method: 'PUT' });
    rig.process();
    const change = siteChange();
    await rig.commit(change);
    const [row] = await rig.settled(1);
    const [request] = target.requests;

    expect(request).toMatchObject({ method: 'PUT', path: '/hook?x=1' });
    expect(request?.body.toString('utf8')).toBe(
      JSON.stringify({
        event: 'updated',
        timestamp: change.timestamp,
        object_type: 'dcim.site',
        username: 'admin',
        request_id: change.requestId,
        data: change.data,
        request: change.request,
        snapshots: change.snapshots,
      }),
    );
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers['webhook-id']).toBe(row?.id);
    const timestamp = Number(request?.headers['webhook-timestamp']);
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(10);
    expect(request?.headers['x-hook-signature']).toBe(
      createHmac('sha512', 'sesame').update(request!.body).digest('hex'),
    );
    expect(request?.headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', 'sesame').update(`${row?.id}.${timestamp}.`).update(request!.body).digest('base64')}`,
    );
    expect(row).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      next_attempt_at: null,
      response_status: 200,
      error: null,
      request_id: change.requestId,
    });
    expect(row?.body).toBe(request?.body.toString('utf8'));
    expect(row?.finished).not.toBeNull();
  });

  it.each(['GET', 'DELETE', 'PATCH'])('has a body even with method %s', async (method) => {
    const target = await rig.receiver();
    await rig.addWebhook(target.url, { http_method: method });
    rig.process();
    await rig.commit(siteChange());
    await rig.settled(1);
    expect(target.requests[0]?.method).toBe(method);
    expect(target.bodies).toMatchObject([{ event: 'updated' }]);
  });

  it('remains permanently failed until an operator requeues the delivery', async () => {
    const target = await rig.receiver((_request, count) => ({ status: count === 1 ? 500 : 200 }));
    await rig.addWebhook(target.url);
    rig.process({ settings: noRetries });
    await rig.commit(siteChange());
    const [failed] = await rig.settled(1);
    expect(failed?.status).toBe('failed');
    expect(await rig.requeue(failed!.id)).toBe(1);
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ id: failed?.id, status: 'succeeded', attempts: 2, error: null });
    expect(target.requests[1]?.headers['webhook-id']).toBe(failed?.id);
    expect(await rig.requeue(failed!.id)).toBe(0);
  });

  it('preserves the order of creations, updates and deletions', async () => {
    const target = await rig.receiver();
    await rig.addWebhook(target.url);
    rig.process();
    await rig.commit(siteChange({ event: 'created' }));
    await rig.commit(siteChange({ event: 'updated' }));
    await rig.commit(siteChange({ event: 'deleted' }));
    await rig.settled(3);
    expect(target.bodies.map(({ event }) => event)).toEqual(['created', 'updated', 'deleted']);
    expect(target.bodies.map(({ snapshots }) => snapshots)).toMatchObject([
      { prechange: null },
      {},
      { postchange: null },
    ]);
  });

  it('starts only if the change is committed', async () => {
    const target = await rig.receiver();
    await rig.addWebhook(target.url);
    rig.process();
    const rolledBack = rig.database.inTransaction(async (tx) => {
      rig.add(tx, siteChange({ id: 1 }));
      await tx.query('SELECT 1');
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    await rig.commit(siteChange({ id: 2 }));
    await rig.settled(1);
    expect(target.bodies.map(({ data }) => data)).toMatchObject([{ id: 2 }]);
  });

  it('has no signature without a secret, and ignores additional headers that forge the id or signature', async () => {
    const target = await rig.receiver();
    const additional =
      'X-Key:  abc : d \r\nno colon here\nContent-Type: text/x\nWebhook-Id: forged\nX-Hook-Signature: forged';
    await rig.addWebhook(target.url, { additional_headers: additional, body_template: 'plain' });
    rig.process();
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    const headers = target.requests[0]?.headers ?? {};
    expect(headers).toMatchObject({ 'x-key': 'abc : d', 'content-type': 'text/x', 'webhook-id': row?.id });
    expect(headers).not.toHaveProperty('x-hook-signature');
    expect(headers).not.toHaveProperty('webhook-signature');
    expect(target.requests[0]?.body.toString()).toBe('plain');
  });

  it('follows a redirect to another host without signature and additional headers', async () => {
    const elsewhere = await rig.receiver();
    const target = await rig.receiver(() => ({ status: 307, headers: { location: `${elsewhere.url}/moved` } }));
    await rig.addWebhook(target.url, { secret: 'sesame', additional_headers: 'X-Key: abc' });
    rig.process();
    await rig.commit(siteChange());
    await rig.settled(1);
    expect(target.requests[0]?.headers).toHaveProperty('x-hook-signature');
    expect(target.requests[0]?.headers).toHaveProperty('x-key');
    const headers = elsewhere.requests[0]?.headers;
    expect(headers).toHaveProperty('webhook-id');
    for (const name of ['x-hook-signature', 'webhook-signature', 'x-key']) expect(headers).not.toHaveProperty(name);
  });

  it('does not store or log the secret', async () => {
    const target = await rig.receiver(() => ({ status: 500 }));
    await rig.addWebhook(target.url, { secret: 'sesame-street' });
    rig.process({ settings: noRetries });
    await rig.commit(siteChange());
    const rows = await rig.settled(1);
    // The line is logged after the attempt is recorded.
    await waitFor(() => rig.logs.some((line) => line.includes('webhook delivery failed')));
    expect(JSON.stringify([rows, rig.logs])).not.toContain('sesame-street');
  });
});

describe('webhook delivery after a failed attempt', () => {
  it('retries under the same id until an attempt succeeds', async () => {
    const target = await rig.receiver((_request, count) => ({ status: count < 3 ? 500 : 204 }));
    await rig.addWebhook(target.url);
    rig.process();
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'succeeded', attempts: 3, response_status: 204, error: null });
    expect(new Set(target.requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([row?.id]));
  });

  it('remains queued, with attempts, next attempt time and error', async () => {
    const target = await rig.receiver(() => ({ status: 503, body: 'busy' }));
    await rig.addWebhook(target.url);
    rig.process({ settings: quickSettings({ retry: { ...quickSettings().retry, initialMs: 60_000 } }) });
    await rig.commit(siteChange());
    const row = await waitFor(async () => (await rig.deliveries()).find(({ error }) => error !== null));
    expect(row).toMatchObject({
      status: 'queued',
      attempts: 1,
      response_status: 503,
      response_body: 'busy',
      finished: null,
    });
    const waitMs = row.next_attempt_at!.getTime() - Date.now();
    expect(waitMs).toBeGreaterThan(50_000);
    expect(waitMs).toBeLessThan(67_000);
  });

  it('becomes failed when all attempts of the retry policy are used up', async () => {
    const target = await rig.receiver(() => ({ status: 500, body: 'no\0pe' }));
    await rig.addWebhook(target.url);
    rig.process({ settings: quickSettings({ retry: { ...quickSettings().retry, retries: 2 } }) });
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'failed', attempts: 3, next_attempt_at: null, response_status: 500 });
    expect(row?.error).toBe("Status 500 returned with content 'no\uFFFDpe', webhook FAILED to process.");
    expect(target.requests).toHaveLength(3);
  });

  it('becomes failed after one attempt if the retry policy allows no retries', async () => {
    const target = await rig.receiver(() => ({ status: 404 }));
    await rig.addWebhook(target.url);
    rig.process({ settings: noRetries });
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([{ status: 'failed', attempts: 1, response_status: 404 }]);
    expect(target.requests).toHaveLength(1);
  });

  it('waits for the Retry-After of the receiver', async () => {
    const target = await rig.receiver((_request, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 },
    );
    await rig.addWebhook(target.url);
    rig.process();
    await rig.commit(siteChange());
    await rig.settled(1);
    const [first, second] = target.requests;
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(990);
  });

  it('retries when the receiver is down, closes the connection, or times out', async () => {
    const target = await rig.receiver(
      (_request, count) => (['reset', 'hang', { status: 200 }] as const)[count - 1] ?? 'reset',
    );
    await rig.addWebhook(target.url);
    await target.stop();
    const settings = quickSettings();
    rig.process({ settings: { ...settings, outbound: { ...settings.outbound, headersTimeoutMs: 300 } } });
    await rig.commit(siteChange());
    const refused = await waitFor(async () => (await rig.deliveries()).find(({ error }) => error !== null));
    expect(refused.error).toMatch(/^Could not connect to 127\.0\.0\.1/);
    await target.start();
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'succeeded', response_status: 200 });
    expect(row?.attempts).toBeGreaterThanOrEqual(4);
  });
});

describe('webhook delivery that cannot succeed', () => {
  it('fails permanently without a connection when the address is forbidden', async () => {
    const target = await rig.receiver();
    await rig.addWebhook(target.url);
    const settings = quickSettings();
    const policy = { ...settings.outbound.policy, allowLoopback: false };
    rig.process({ settings: { ...settings, outbound: { ...settings.outbound, policy } } });
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'failed', attempts: 1, response_status: null });
    expect(row?.error).toBe('Address 127.0.0.1 of host 127.0.0.1 is refused: loopback');
    expect(target.requests).toHaveLength(0);
  });

  it.each([
    [
      'payload_url',
      'http://127.0.0.1/{{ data.nothing.id }}',
      'payload URL',
      "UndefinedError: 'dict object' has no attribute 'nothing'",
    ],
    ['additional_headers', 'X-A: {% if data %}b', 'additional headers', 'TemplateSyntaxError: '],
    ['body_template', '{{ data|nosuchfilter }}', 'body template', "No filter named 'nosuchfilter'."],
  ])('fails permanently when the template in %s fails', async (column, text, part, reason) => {
    const name = `hook ${column}`;
    await rig.addWebhook('http://127.0.0.1:9', { [column]: text, name });
    rig.process();
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'failed', attempts: 1, response_status: null });
    expect(row?.error).toContain(`The ${part} of webhook ${name} cannot be rendered: `);
    expect(row?.error).toContain(reason);
  });

  it('fails permanently when a header is forbidden', async () => {
    await rig.addWebhook('http://127.0.0.1:9', { additional_headers: 'Transfer-Encoding: chunked' });
    rig.process();
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'failed', attempts: 1 });
    expect(row?.error).toBe('Header "transfer-encoding" is refused: it belongs to the connection');
  });

  it('fails permanently when the secret cannot be decrypted', async () => {
    const id = await rig.addWebhook('http://127.0.0.1:9', { name: 'sealed' });
    await rig.database.query('UPDATE extras_webhook SET secret = $2 WHERE id = $1', [id, 'v1.k0.x.y.z']);
    rig.process();
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([
      { status: 'failed', error: 'The secret of webhook sealed cannot be decrypted.' },
    ]);
  });

  it('fails permanently when the CA file cannot be read, with an error message that reveals no details', async () => {
    await rig.addWebhook('https://127.0.0.1:9', { ca_file_path: '/dev/zero' });
    rig.process();
    await rig.commit(siteChange());
    expect(await rig.settled(1)).toMatchObject([
      { status: 'failed', error: 'The CA certificate file could not be read.' },
    ]);
  });

  it('fails permanently when the webhook was deleted', async () => {
    const id = await rig.addWebhook('http://127.0.0.1:9');
    rig.process();
    await rig.commit(siteChange());
    await waitFor(async () => (await rig.deliveries())[0]?.attempts === 1);
    await rig.database.query('DELETE FROM extras_webhook WHERE id = $1', [id]);
    expect(await rig.settled(1)).toMatchObject([
      { status: 'failed', webhook_id: null, error: 'The webhook was deleted.' },
    ]);
  });
});
