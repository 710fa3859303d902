import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ApplicationError } from '@switchboard/errors';
import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { webhookRoutes, type DeliveryPage, type EndpointWithSecret, type WebhookRoute } from '../src/index.js';
import { Receiver, startService, testSettings, type WebhookService } from './webhook-test-support.js';

let service: WebhookService;
let receiver: Receiver;
let server: Server;
let routes: readonly WebhookRoute[];
let owner = '';
let owners = 0;

/** Finds the route for a request. Returns the route and the values of its path parameters. */
function findRoute(method: string, path: string) {
  return routes.flatMap((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const match = route.method === method ? pattern.exec(path) : null;
    return match === null ? [] : [{ route, params: { ...match.groups } }];
  })[0];
}

/** Responds to a request with the matching route. Checks that the response matches the schema of the route. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { route, params } = findRoute(request.method ?? '', pathname)!;
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    const query = Object.fromEntries(searchParams);
    const result = await route.handle({ owner: String(request.headers['x-owner']), params, query, body });
    const sent = JSON.stringify(result);
    if (route.response === null) expect(result).toBeUndefined();
    else route.response.parse(JSON.parse(sent));
    response.writeHead(route.status).end(sent);
  } catch (error) {
    const { status, code, fields } =
      error instanceof ApplicationError ? error : { status: 500, code: String(error), fields: {} };
    response.writeHead(status).end(JSON.stringify({ code, ...fields }));
  }
}

beforeAll(async () => {
  receiver = await Receiver.start();
  service = await startService({ settings: { ...testSettings, retry: { ...testSettings.retry, retries: 0 } } });
  const { webhooks, pool, inTransaction } = service;
  routes = webhookRoutes({ webhooks, database: pool, inTransaction });
  server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await service.stop();
  await receiver.stop();
});
beforeEach(() => {
  owner = `owner ${(owners += 1)}`;
  receiver.received.length = 0;
  receiver.respond = () => 204;
});

async function call<T = unknown>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: { 'x-owner': owner }, ...sent });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

const create = async (): Promise<EndpointWithSecret> =>
  (await call<EndpointWithSecret>('POST', '/endpoints', { url: receiver.url(), eventTypes: ['*'] })).body;

/** Emits an event and waits until its delivery is finished. Returns the page of deliveries. */
async function deliver(): Promise<DeliveryPage> {
  await service.emit({ owner, type: 'order.placed', payload: 1 });
  return waitFor(async () => {
    const { body } = await call<DeliveryPage>('GET', '/deliveries?limit=10');
    return body.deliveries.length > 0 && body.deliveries.every(({ status }) => status !== 'queued') ? body : null;
  });
}

describe('webhookRoutes', () => {
  it('creates, reads, changes and deletes an endpoint', async () => {
    const { secret, ...endpoint } = await create();
    expect(await call('GET', `/endpoints/${endpoint.id}`)).toEqual({ status: 200, body: endpoint });
    expect(await call('GET', '/endpoints')).toEqual({ status: 200, body: { endpoints: [endpoint], next: null } });
    const changed = await call('PATCH', `/endpoints/${endpoint.id}`, { enabled: false });
    expect(changed).toMatchObject({ status: 200, body: { enabled: false, url: endpoint.url } });
    const rotated = await call<EndpointWithSecret>('POST', `/endpoints/${endpoint.id}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: { formerSecrets: 1 } });
    expect(rotated.body.secret).not.toBe(secret);
    expect(await call('DELETE', `/endpoints/${endpoint.id}`)).toEqual({ status: 204, body: undefined });
    expect(await call('GET', `/endpoints/${endpoint.id}`)).toMatchObject({ status: 404 });
  });

  it('lists deliveries, and requeues failed deliveries', async () => {
    await create();
    receiver.respond = () => 500;
    const { deliveries } = await deliver();
    const id = deliveries[0]!.id;
    expect(await call('GET', `/deliveries/${id}`)).toMatchObject({
      status: 200,
      body: { status: 'failed', attemptLog: [{ number: 1, responseStatus: 500 }] },
    });
    expect(await call('POST', `/deliveries/${id}/requeue`)).toEqual({ status: 204, body: undefined });
    await waitFor(() => receiver.received.length === 2, { what: 'the second attempt' });
    await waitFor(
      async () => (await call<DeliveryPage>('GET', '/deliveries?status=failed')).body.deliveries.length === 1,
    );
    receiver.respond = () => 204;
    expect(await call('POST', '/deliveries/requeue', { type: 'order.placed' })).toEqual({
      status: 200,
      body: { requeued: 1 },
    });
    await waitFor(
      async () => (await call<DeliveryPage>('GET', '/deliveries?status=succeeded')).body.deliveries.length === 1,
    );
    expect(await call('POST', `/deliveries/${id}/requeue`)).toMatchObject({
      status: 409,
      body: { code: 'WEBHOOK_DELIVERY_NOT_REQUEUED' },
    });
    expect(await call('POST', '/deliveries/requeue')).toEqual({ status: 200, body: { requeued: 0 } });
  });

  it('responds 404 to requests of another owner', async () => {
    const endpoint = await create();
    const [delivery] = (await deliver()).deliveries;
    owner = 'another';
    for (const [method, path] of [
      ['GET', `/endpoints/${endpoint.id}`],
      ['PATCH', `/endpoints/${endpoint.id}`],
      ['DELETE', `/endpoints/${endpoint.id}`],
      ['POST', `/endpoints/${endpoint.id}/rotate-secret`],
      ['GET', `/deliveries/${delivery!.id}`],
      ['POST', `/deliveries/${delivery!.id}/requeue`],
    ] as const) {
      expect(await call(method, path, method === 'GET' ? undefined : {}), path).toMatchObject({ status: 404 });
    }
    expect(await call('GET', '/endpoints')).toMatchObject({ body: { endpoints: [] } });
    expect(await call('GET', '/deliveries')).toMatchObject({ body: { deliveries: [] } });
    expect(await call('POST', '/deliveries/requeue', {})).toMatchObject({ body: { requeued: 0 } });
  });

  it.each<[string, string, unknown]>([
    ['POST', '/endpoints', undefined],
    ['POST', '/endpoints', null],
    ['POST', '/endpoints', []],
    ['POST', '/endpoints', { url: 5, eventTypes: '*' }],
    ['POST', '/endpoints', { url: 'https://example.com/', eventTypes: ['*'], __proto__: null, extra: 1 }],
    ['GET', '/endpoints?limit=0', undefined],
    ['GET', '/endpoints?after=99999999999999999999', undefined],
    ['GET', '/endpoints?after=x', undefined],
    ['GET', '/deliveries?before=-1', undefined],
    ['GET', '/deliveries?endpointId=1', undefined],
    ['GET', '/deliveries?createdFrom=yesterday', undefined],
    ['GET', '/deliveries?createdFrom=2026-13-01T00:00:00Z', undefined],
    ['GET', '/deliveries?createdFrom=0000-01-01T00:00:00Z', undefined],
    ['GET', '/deliveries?createdFrom=1969-12-31T23:59:59.999Z', undefined],
    ['GET', '/deliveries?createdBefore=1970-01-01T00:00:00%2B00:01', undefined],
    ['GET', '/deliveries?createdBefore=9999-12-31T23:59:59-23:59', undefined],
    ['POST', '/deliveries/requeue', { createdFrom: '0000-01-01T00:00:00Z' }],
    ['GET', '/deliveries?status=lost', undefined],
    ['GET', '/deliveries/00000000-0000-4000-8000-000000000000?attemptsLimit=0', undefined],
    ['GET', '/deliveries/00000000-0000-4000-8000-000000000000?attemptsBefore=99999999999', undefined],
    ['POST', '/deliveries/requeue', { status: 'queued' }],
    ['POST', '/deliveries/requeue', 'all'],
  ])('responds 400 to %s %s with the body %j', async (method, path, body) => {
    const response = await call(method, path, body);
    expect(response).toMatchObject({ status: 400, body: { code: 'WEBHOOK_INPUT_INVALID' } });
    expect((response.body as { issues: object[] }).issues.length).toBeGreaterThan(0);
  });

  it.each([
    ['in 1970', '1970-01-01T00:00:00Z'],
    ['in 9999', '9999-12-31T23:59:59.999Z'],
    ['with the offset +23:59', '2026-01-01T00:00:00+23:59'],
    ['with the offset -23:59', '2026-01-01T00:00:00-23:59'],
    ['with 500 digits of a second', `2026-01-01T00:00:00.${'9'.repeat(500)}Z`],
  ])('accepts a time %s as filter of deliveries', async (_name, time) => {
    const encoded = encodeURIComponent(time);
    const path = `/deliveries?createdFrom=${encoded}&createdBefore=${encoded}`;
    expect(await call('GET', path)).toEqual({ status: 200, body: { deliveries: [], next: null } });
    expect(await call('POST', '/deliveries/requeue', { createdFrom: time, createdBefore: time })).toEqual({
      status: 200,
      body: { requeued: 0 },
    });
  });

  it.each(['/endpoints/1', '/endpoints/%00', "/deliveries/'", '/deliveries/00000000-0000-4000-8000-000000000000'])(
    'responds 404 to GET %s with an unknown or invalid id',
    async (path) => {
      expect(await call('GET', path)).toMatchObject({ status: 404 });
    },
  );

  it('declares a unique name for each route, and a schema for each body', () => {
    expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
    for (const { method, name, body, response, status } of routes) {
      if (method === 'GET' || method === 'DELETE') expect(body, name).toBeNull();
      expect(response === null, name).toBe(status === 204);
    }
  });
});
