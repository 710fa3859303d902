import { connect } from 'node:net';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createService, type ServiceOptions } from '../src/index.js';
import { Gate, gates, serviceOptions } from './service-fixture.js';

let running: NestFastifyApplication | undefined;

afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(env: Record<string, string> = {}, overrides: Partial<ServiceOptions> = {}) {
  const options = serviceOptions(env, overrides);
  running = await createService(options);
  return { ...options, app: running };
}

async function listen(app: NestFastifyApplication): Promise<number> {
  await app.listen(0, '127.0.0.1');
  const address = app.getHttpServer().address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Writes bytes to a listening service. Returns the bytes that the service sends until it closes the connection. */
async function exchange(app: NestFastifyApplication, bytes: string): Promise<string> {
  const socket = connect(await listen(app), '127.0.0.1');
  let response = '';
  socket.on('data', (chunk) => (response += chunk.toString()));
  socket.write(bytes);
  await once(socket, 'close');
  return response;
}

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('findDirectResponse', () => {
  const findDirectResponse: ServiceOptions['findDirectResponse'] = ({ url }) => {
    if (url === '/things/broken') return Promise.reject(new Error('not available'));
    const direct = {
      route: '/things',
      address: '192.0.2.1',
      headers: { 'x-from': 'memory' },
      body: Buffer.from('stored'),
    };
    return url === '/things' ? Promise.resolve(direct) : null;
  };

  it('returns a response that is sent with a request id, logged once and counted in metrics', async () => {
    const { app, lines, metrics } = await start({}, { findDirectResponse });
    const response = await fetch(`http://127.0.0.1:${await listen(app)}/things`);
    expect([response.status, response.headers.get('x-from'), await response.text()]).toEqual([200, 'memory', 'stored']);
    const requestId = response.headers.get('x-request-id');
    expect(requestId).toMatch(UUID_V4);
    const line = { requestId, method: 'GET', address: '192.0.2.1', route: '/things', status: 200 };
    await vi.waitFor(() => expect(lines.find('request')).toEqual([expect.objectContaining(line)]), 15_000);
    expect((await metrics.render()).text).toContain('method="GET",route="/things",status="200"');
  });

  it('passes other methods, paths without a direct response and failures to Fastify', async () => {
    const { app } = await start({}, { findDirectResponse });
    const origin = `http://127.0.0.1:${await listen(app)}`;
    const statusOf = async (path: string, method: string) => (await fetch(origin + path, { method })).status;
    expect(await statusOf('/things/large', 'GET')).toBe(200);
    expect(await statusOf('/things', 'POST')).toBe(200);
    expect(await statusOf('/things/broken', 'GET')).toBe(500);
  });

  it('logs status 499 when the client disconnects before the function returns null', async () => {
    const gate = new Gate();
    const { app, lines } = await start(
      {},
      {
        findDirectResponse: () => gate.pass().then(() => null),
      },
    );
    const leaving = new AbortController();
    const closed = new Promise((resolve) => {
      app.getHttpServer().prependOnceListener('request', (_request: unknown, response: Writable) => {
        response.once('close', resolve);
      });
    });
    const response = fetch(`http://127.0.0.1:${await listen(app)}/things/7`, { signal: leaving.signal });
    await gate.held;
    leaving.abort();
    await expect(response).rejects.toThrow('aborted');
    await closed;
    gate.release();
    const line = { method: 'GET', route: '/things/:id', status: 499 };
    await vi.waitFor(() => expect(lines.find('request')).toEqual([expect.objectContaining(line)]), { timeout: 15_000 });
  });

  it('leaves requests to Fastify while the service stops', async () => {
    const { app, health } = await start({}, { findDirectResponse });
    const origin = `http://127.0.0.1:${await listen(app)}`;
    health.markStopping();
    const response = await fetch(`${origin}/things`);
    expect([await response.json(), response.headers.get('connection')]).toEqual([{ things: [] }, 'close']);
  });
});

describe('routes of a service', () => {
  it('respond to HEAD with the headers of GET and without a body', async () => {
    const { app } = await start();
    const get = await app.inject({ url: '/things/7' });
    const head = await app.inject({ method: 'HEAD', url: '/things/7' });
    expect(get.json()).toEqual({ id: '7' });
    expect(head.statusCode).toBe(200);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.body).toBe('');
  });

  it('include routes registered before Nest, with their own content types', async () => {
    const { app } = await start(
      {},
      {
        configure(_app, fastify) {
          fastify.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => {
            done(null, String(body).split(','));
          });
          fastify.addHook('onSend', async (_request, reply) => {
            void reply.header('x-hook', 'ran');
          });
        },
      },
    );
    const response = await app.inject({
      method: 'POST',
      url: '/things',
      headers: { 'content-type': 'text/csv' },
      payload: 'a,b',
    });
    expect(response.json().body).toEqual(['a', 'b']);
    expect(response.headers['x-hook']).toBe('ran');
  });
});

describe('framework errors', () => {
  const json = { 'content-type': 'application/json' };

  it.each([
    ['no route', { url: '/nowhere' }, 404],
    ['malformed JSON', { method: 'POST', url: '/things', headers: json, payload: '{"a":' }, 400],
    ['an empty JSON body', { method: 'POST', url: '/things', headers: json, payload: '' }, 400],
    [
      'a media type that nobody reads',
      { method: 'POST', url: '/things', headers: { 'content-type': 'text/plain' }, payload: 'x' },
      415,
    ],
    ['a body above the limit', { method: 'POST', url: '/things', headers: json, payload: `"${'x'.repeat(200)}"` }, 413],
    ['a path that cannot be decoded', { url: '/things/%E0%A4' }, 400],
    ['an over-long path parameter', { url: `/things/${'x'.repeat(501)}` }, 414],
  ] as const)('have the format of the service: %s', async (_name, request, status) => {
    const { app } = await start({ BODY_LIMIT_BYTES: '100' });
    const response = await app.inject(request);
    expect(response.statusCode).toBe(status);
    expect(response.json().error.code).toBe(`HTTP_${status}`);
  });

  it('respond 405 to another method of a known path, with Allow', async () => {
    const { app } = await start();
    const response = await app.inject({ method: 'DELETE', url: '/things?x=1' });
    expect(response.statusCode).toBe(405);
    expect(response.headers['allow']).toBe('GET, HEAD, POST');
    expect(response.json().error).toMatchObject({ code: 'HTTP_405', allowed: ['GET', 'HEAD', 'POST'] });
  });

  it('respond 204 with Allow to OPTIONS of a known path if enabled', async () => {
    const { app } = await start({}, { handleOptions: true });
    const known = await app.inject({ method: 'OPTIONS', url: '/things' });
    const unknown = await app.inject({ method: 'OPTIONS', url: '/nowhere' });
    expect([known.statusCode, known.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
    expect(unknown.statusCode).toBe(404);
  });

  it('respond 400 to invalid HTTP and 431 to headers that are too large', async () => {
    const { app } = await start();
    const response = await exchange(app, 'NONSENSE\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*"code":"HTTP_400"/);
    await app.close();
    const { app: other } = await start();
    const large = await exchange(other, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(140_000)}\r\n\r\n`);
    expect(large).toMatch(/^HTTP\/1\.1 431 [^]*"code":"HTTP_431"/);
  });

  it('do not occur for a URL with thousands of ids', async () => {
    const { app } = await start();
    const ids = Array.from({ length: 5000 }, (_, index) => 1_000_000_000 + index).join('%2C+');
    const response = await exchange(app, `GET /things?ids=${ids} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('respond 500 to an unexpected error, logged once with stack and without secrets', async () => {
    const { app, lines } = await start();
    const response = await app.inject({ url: '/things/broken?api_key=hunter2' });
    const requestId = response.headers['x-request-id'];
    expect(response.json()).toEqual({ error: { code: 'UNKNOWN', message: `Failed (${requestId})` } });
    const logged = lines.lines.filter((line) => 'err' in line);
    expect(logged).toEqual([
      expect.objectContaining({ requestId, err: expect.objectContaining({ message: 'the secret recipe' }) }),
    ]);
    expect(lines.text).not.toContain('hunter2');
  });
});

describe('log lines of requests', () => {
  it('contain a new id per request, even if the client sends an id', async () => {
    const { app } = await start();
    const ask = () => app.inject({ url: '/things', headers: { 'x-request-id': 'mine' } });
    const ids = (await Promise.all([ask(), ask()])).map((response) => String(response.headers['x-request-id']));
    expect(ids[0]).toMatch(UUID_V4);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it('contain the id that a client sends if client ids are trusted and the id is well-formed', async () => {
    const { app } = await start({}, { trustClientRequestId: true });
    const idFor = async (given: string) =>
      (await app.inject({ url: '/things', headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await idFor('job-7.a')).toBe('job-7.a');
    expect(await idFor('two words')).toMatch(UUID_V4);
    expect(await idFor('x'.repeat(129))).toMatch(UUID_V4);
  });

  it('contain request id and trace in all callbacks of concurrent requests', async () => {
    const { app, lines } = await start();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        app.inject({
          method: 'POST',
          url: '/things',
          headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
          payload: { a: 1 },
        }),
      ),
    );
    for (const response of responses) {
      expect(response.json().requestId).toBe(response.headers['x-request-id']);
    }
    const added = lines.find('added');
    expect(new Set(added.map((line) => line['requestId'])).size).toBe(20);
    expect(added[0]).toMatchObject({ traceId });
    expect(lines.find('request')[0]).toMatchObject({ traceId });
  });

  it('contain id and trace over a connection whose body arrives in parts', async () => {
    const { app, lines } = await start();
    const port = await listen(app);
    const response = await fetch(`http://127.0.0.1:${port}/things`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ a: 'x'.repeat(200_000) }),
    });
    expect(await response.json()).toMatchObject({ requestId: response.headers.get('x-request-id') });
    expect(lines.find('added')).toHaveLength(1);
  });

  it('contain method, route, status and duration, but no body, query or path value', async () => {
    const { app, lines } = await start();
    await app.inject({ method: 'POST', url: '/things?api_key=hunter2', payload: { password: 'hunter3' } });
    await app.inject({ url: '/things/secret-name' });
    await app.inject({ url: '/nowhere/else' });
    expect(lines.find('request').map(({ method, route, status }) => [method, route, status])).toEqual([
      ['POST', '/things', 200],
      ['GET', '/things/:id', 200],
      ['GET', 'unmatched', 404],
    ]);
    expect(lines.find('request')[0]?.['durationMs']).toEqual(expect.any(Number));
    expect(lines.text).not.toMatch(/hunter|secret-name|nowhere/);
  });

  it('state whether the client disconnected before the response', async () => {
    const { app, lines } = await start();
    const gate = new Gate();
    gates.set('left', gate);
    const leaving = new AbortController();
    const response = fetch(`http://127.0.0.1:${await listen(app)}/things/held/left`, { signal: leaving.signal });
    await gate.held;
    leaving.abort();
    await expect(response).rejects.toThrow('aborted');
    await vi.waitFor(() => expect(lines.find('request')).toEqual([expect.objectContaining({ status: 499 })]), {
      timeout: 15_000,
    });
    gate.release();
  });

  it('contain the client address in X-Forwarded-For only if the proxy is trusted', async () => {
    const seen: string[] = [];
    const configure: ServiceOptions['configure'] = (_app, fastify) => {
      fastify.addHook('onRequest', async (request) => {
        seen.push(request.ip);
      });
    };
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const plain = await start({}, { configure });
    await plain.app.inject({ url: '/things', headers });
    await plain.app.close();
    const trusting = await start({ TRUST_PROXY: '1' }, { configure });
    await trusting.app.inject({ url: '/things', headers });
    expect(seen).toEqual(['127.0.0.1', '203.0.113.9']);
    const logged = [plain, trusting].map(({ lines }) => lines.find('request')[0]?.['address']);
    expect(logged).toEqual(seen);
  });

  it.each([
    ['https', 'https'],
    ['HTTPS', 'https'],
    ['http, https', 'https'],
    ['javascript', 'http'],
    ['https, javascript://x', 'http'],
  ])('contain the scheme from a trusted proxy: X-Forwarded-Proto %s leads to %s', async (sent, scheme) => {
    const seen: string[] = [];
    const configure: ServiceOptions['configure'] = (_app, fastify) => {
      fastify.addHook('preHandler', async (request) => {
        seen.push(request.protocol);
      });
    };
    const { app } = await start({ TRUST_PROXY: '1' }, { configure });
    await app.inject({ url: '/things', headers: { 'x-forwarded-proto': sent } });
    expect(seen).toEqual([scheme]);
  });
});

describe('response compression', () => {
  it.each(['br', 'gzip', 'deflate'])('uses %s from the threshold on', async (encoding) => {
    const { app } = await start();
    const headers = { 'accept-encoding': encoding };
    const large = await app.inject({ url: '/things/large', headers });
    const small = await app.inject({ url: '/things', headers });
    expect(large.headers['content-encoding']).toBe(encoding);
    expect(large.rawPayload.length).toBeLessThan(1000);
    expect(small.headers['content-encoding']).toBeUndefined();
    expect(small.json()).toEqual({ things: [] });
  });

  it('leaves a response uncompressed without Accept-Encoding', async () => {
    const { app } = await start();
    const large = await app.inject({ url: '/things/large' });
    expect(large.headers['content-encoding']).toBeUndefined();
  });
});
