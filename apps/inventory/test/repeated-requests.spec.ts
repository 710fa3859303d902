import type { InProcessApiClient, TestApiResponse } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser, removePermittedUsers } from './support/permitted-user.js';
import { type SecondProcess, startSecondProcess } from './support/start-second-process.js';

const path = '/api/dcim/sites/?limit=10';

let test: TestInventory;
let otherProcess: SecondProcess;
let siteId: number;
let origin: string;
beforeAll(async () => {
  test = await startInventory({ TRUST_PROXY: '1', COMPRESSION_THRESHOLD_BYTES: '100' });
  origin = await test.fastify.listen({ host: '127.0.0.1', port: 0 });
  otherProcess = await startSecondProcess(test, {});
  for (const slug of ['one', 'two']) {
    const { body } = await test.api.post<{ id: number }>('/api/dcim/sites/', { json: { name: slug, slug } });
    siteId = body.id;
  }
});
afterAll(async () => {
  await otherProcess.close();
  await test.close();
});
afterEach(() => vi.restoreAllMocks());

/** Sends a GET request over a network connection. Returns the response, with its body decoded as text. */
async function send(url: string, headers: Record<string, string>) {
  const response = await fetch(new URL(url, origin), { headers });
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

/** Returns the number of requests to which the service responded before Fastify processed them. */
async function countDirectResponses(): Promise<number> {
  const { text } = await test.metrics.render();
  return Number(/^inventory_repeated_requests_total (\d+)$/m.exec(text)?.[1]);
}

/**
 * Repeats a request until the service responds to the request before Fastify processes it. Returns the last response.
 */
async function repeatUntilDirect(client: InProcessApiClient, url = path): Promise<TestApiResponse<unknown>> {
  let response = await client.get(url);
  const sendAgain = async (): Promise<boolean> => {
    const before = await countDirectResponses();
    response = await client.get(url);
    return (await countDirectResponses()) > before;
  };
  await expect.poll(sendAgain).toBe(true);
  return response;
}

/** Sends a request, and checks that Fastify processes the request. Returns the response. */
async function sendThroughFastify<T>(send: () => Promise<TestApiResponse<T>>): Promise<TestApiResponse<T>> {
  const before = await countDirectResponses();
  const response = await send();
  expect(await countDirectResponses()).toBe(before);
  return response;
}

/**
 * Creates an API token of the superuser, with the SQL values of some columns. Returns the id of the token and an HTTP
 * client that uses the token.
 */
async function createToken(columns = ''): Promise<{ readonly id: number; readonly client: InProcessApiClient }> {
  const client = await test.clientOf(test.adminId);
  const { rows } = await test.inventory.database.query<{ id: number }>(
    `UPDATE users_token SET description = 'repeated'${columns} WHERE id = (SELECT max(id) FROM users_token) RETURNING id`,
  );
  return { id: rows[0]?.id ?? 0, client };
}

describe('RepeatedRequestCache', () => {
  it.each([
    ['a list', path, 'identity'],
    ['an object', '/api/dcim/sites/2/', 'identity'],
    ['a compressed list', '/api/dcim/sites/?brief=true', 'gzip'],
  ])('serves a repeated request for %s from the third time on with the second response', async (_, url, encoding) => {
    const authorization = `Bearer ${await test.tokenOf(test.adminId)}`;
    const responses = [];
    const requestIds = new Set();
    const counts = [];
    for (let n = 0; n < 5; n += 1) {
      const { status, headers, text } = await send(url, { authorization, 'accept-encoding': encoding });
      const { date, 'x-request-id': requestId, ...fixed } = headers;
      responses.push({ status, fixed, text, isDated: date !== undefined });
      requestIds.add(requestId);
      counts.push(await countDirectResponses());
    }
    const [first = 0] = counts;
    expect(counts.map((count) => count - first)).toEqual([0, 0, 1, 2, 3]);
    const [, second] = responses;
    expect([second?.status, second?.fixed['content-encoding'] ?? 'identity']).toEqual([200, encoding]);
    for (const response of responses.slice(2)) expect(response).toEqual(second);
    expect(requestIds.size).toBe(5);
  });
});

describe('RepeatedRequestCache after it has served a request', () => {
  it('does not use the cached response when the token has expired', async () => {
    const nowMs = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(nowMs);
    const { client } = await createToken(`, expires = to_timestamp(${(nowMs + 3_000) / 1000})`);
    await repeatUntilDirect(client);
    // Credentials are cached for 10 s, so that the token is still cached.
    clock.mockReturnValue(nowMs + 3_000);
    expect((await sendThroughFastify(() => client.get(path))).status).toBe(403);
  });

  it.each([
    ['this process', () => test.api],
    ['another process', () => otherProcess.api],
  ])('leaves the request to Fastify after %s has deleted the token', async (_, api) => {
    const { id, client } = await createToken();
    await repeatUntilDirect(client);
    expect((await api().delete(`/api/users/tokens/${id}/`)).status).toBe(204);
    await expect.poll(async () => (await client.get(path)).status).toBe(403);
    expect((await sendThroughFastify(() => client.get(path))).status).toBe(403);
  });

  it('leaves the request to Fastify after the user has lost a permission in another process', async () => {
    const limited = { types: ['dcim.site'], actions: ['view'], constraints: null } as const;
    const { api: client, permission } = await permittedUser(test, limited);
    expect((await repeatUntilDirect(client)).text).toContain('"one"');
    const change = { json: { constraints: { slug: 'two' } } };
    expect((await otherProcess.api.patch(`/api/users/permissions/${permission}/`, change)).status).toBe(200);
    await expect.poll(async () => (await client.get(path)).text).not.toContain('"one"');
    expect((await repeatUntilDirect(client)).text).not.toContain('"one"');
    await otherProcess.api.delete(`/api/users/permissions/${permission}/`);
    await expect.poll(async () => (await client.get(path)).status).toBe(403);
    expect((await sendThroughFastify(() => client.get(path))).status).toBe(403);
    await removePermittedUsers(test);
  });

  it.each([
    ['a request', () => otherProcess.api.patch(`/api/dcim/sites/${siteId}/`, { json: { facility: 'request' } })],
    ['an SQL statement', () => test.inventory.database.query(`UPDATE dcim_site SET facility = 'statement'`)],
  ])('does not use the cached response after %s has changed an object', async (name, change) => {
    const before = await repeatUntilDirect(test.api);
    await change();
    const after = await sendThroughFastify(() => test.api.get(path));
    expect(before.text).not.toContain(`"facility": "${name.split(' ').at(-1)}"`);
    expect(after.text).toContain(`"facility": "${name.split(' ').at(-1)}"`);
  });

  it('does not use the cached response for a request of another user', async () => {
    const limited = { types: ['dcim.site'], actions: ['view'], constraints: { slug: 'two' } } as const;
    const { api: client } = await permittedUser(test, limited);
    await repeatUntilDirect(test.api);
    const { text } = await sendThroughFastify(() => client.get(path));
    expect([text.includes('"one"'), text.includes('"two"')]).toEqual([false, true]);
    const repeated = await repeatUntilDirect(client);
    expect(repeated.text).toBe(text);
    expect((await repeatUntilDirect(test.api)).text).toContain('"one"');
    await removePermittedUsers(test);
  });

  it('does not use the cached response if the token is not allowed for the address of the client', async () => {
    const { client } = await createToken(`, allowed_ips = '["203.0.113.0/24"]'`);
    await repeatUntilDirect(client.withHeaders({ 'x-forwarded-for': '203.0.113.7' }));
    const outside = client.withHeaders({ 'x-forwarded-for': '198.51.100.7' });
    for (let n = 0; n < 3; n += 1) expect((await sendThroughFastify(() => outside.get(path))).status).toBe(403);
  });

  it.each([
    ['accept: text/html', 200, { accept: 'text/html' }],
    ['accept: application/json; indent=4', 200, { accept: 'application/json; indent=4' }],
    ['accept: image/png', 406, { accept: 'image/png' }],
    ['if-none-match', 304, { 'if-none-match': '*' }],
    ['cookie', 200, { cookie: 'a=b' }],
    ['traceparent', 200, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }],
    ['accept-encoding with a weight', 200, { 'accept-encoding': 'identity;q=0.5' }],
  ])('does not use the cached response for a request with the header %s', async (_, status, headers) => {
    await repeatUntilDirect(test.api);
    const client = test.api.withHeaders(headers);
    const { text } = await client.get(path, { unchecked: true });
    for (let n = 0; n < 3; n += 1) {
      const response = await sendThroughFastify(() => client.get(path, { unchecked: true }));
      expect([response.status, response.text]).toEqual([status, text]);
    }
  });

  it('does not use the cached response for another method or a request with a saved filter', async () => {
    await repeatUntilDirect(test.api);
    const filter = { name: 'One', slug: 'one', object_types: ['dcim.site'], parameters: { slug: ['one'] } };
    expect((await test.api.post('/api/extras/saved-filters/', { json: filter })).status).toBe(201);
    for (let n = 0; n < 3; n += 1) {
      expect((await sendThroughFastify(() => test.api.head(path))).status).toBe(200);
      const filtered = await sendThroughFastify(() => test.api.get(`${path}&filter=one`));
      expect([filtered.text.includes('"one"'), filtered.text.includes('"two"')]).toEqual([true, false]);
    }
  });

  it('does not use the cached response for a request without a token', async () => {
    await repeatUntilDirect(test.api);
    for (let n = 0; n < 3; n += 1) {
      expect((await sendThroughFastify(() => test.stranger.get(path))).status).toBe(403);
    }
  });
});
