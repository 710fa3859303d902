import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  AddressRefusedError,
  ConnectError,
  ConnectionLostError,
  HeaderRefusedError,
  MethodRefusedError,
  NameResolutionError,
  OutboundClient,
  OutboundTimeoutError,
  publicAddressesOnly,
  ResponseTooLargeError,
  TooManyRedirectsError,
  UrlRefusedError,
  type OutboundClientOptions,
  type Resolver,
} from '../src/index.js';
import { startLocalServer, type LocalServer } from './local-test-server.js';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()));
});

async function serve(...args: Parameters<typeof startLocalServer>): Promise<LocalServer> {
  const server = await startLocalServer(...args);
  cleanups.push(server.close);
  return server;
}

function clientWith(options: Partial<OutboundClientOptions> = {}): OutboundClient {
  const client = new OutboundClient({ policy: { ...publicAddressesOnly, allowLoopback: true }, ...options });
  cleanups.push(() => client.close());
  return client;
}

/** Counts the sockets that this process opens until a request has succeeded or failed. */
async function socketsOpenedBy(request: () => Promise<unknown>): Promise<number> {
  let opened = 0;
  const count = (): void => void (opened += 1);
  subscribe('net.client.socket', count);
  await request().catch(() => undefined);
  unsubscribe('net.client.socket', count);
  return opened;
}

/** Returns a resolver for tests that resolves only the given host names. */
function resolverOf(names: Record<string, string[]>): Resolver {
  return (host) => Promise.resolve(names[host] ?? []);
}

describe('request of the outbound client', () => {
  it('returns the response to the given request with its address and duration', async () => {
    const server = await serve((_req, res) => res.writeHead(201, { 'x-answer': 'yes' }).end('done'));
    const url = `http://127.0.0.1:${server.port}/hook?x=1#part`;
    const response = await clientWith().request({
      url,
      method: 'post',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer x' },
      body: '{"a":1}',
    });
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        url: '/hook?x=1',
        body: '{"a":1}',
        headers: { host: `127.0.0.1:${server.port}`, authorization: 'Bearer x', 'content-length': '7' },
      },
    ]);
    expect(await socketsOpenedBy(() => clientWith().request({ url }))).toBe(1);
    expect(response).toMatchObject({ status: 201, truncated: false, address: '127.0.0.1', url, redirects: [] });
    expect(response.body.toString()).toBe('done');
    expect(response.headers['x-answer']).toBe('yes');
    expect(response.durationMs).toBeGreaterThan(0);
  });

  it('joins repeated response headers, except cookies', async () => {
    const server = await serve((_req, res) => {
      res.setHeader('x-part', ['a', 'b']).setHeader('retry-after', ['1', '2']).setHeader('set-cookie', ['a=1', 'b=2']);
      res.end();
    });
    const { headers } = await clientWith().request({ url: `http://127.0.0.1:${server.port}/` });
    expect(headers).toMatchObject({ 'x-part': 'a, b', 'retry-after': '1, 2', 'set-cookie': ['a=1', 'b=2'] });
  });

  it('reuses a connection for the next request', async () => {
    const server = await serve((_req, res) => res.end('ok'));
    const client = clientWith();
    for (let count = 0; count < 3; count += 1) {
      await client.request({ url: `http://127.0.0.1:${server.port}/` });
      await nextTurn(); // The connection is free again one event-loop turn after its response.
    }
    expect(server.connections()).toBe(1);
  });

  it('opens at most the configured number of connections per origin', async () => {
    const server = await serve((_req, res) => void setTimeout(() => res.end('ok'), 20));
    const client = clientWith({ maxConnectionsPerOrigin: 2 });
    await Promise.all(Array.from({ length: 8 }, () => client.request({ url: `http://127.0.0.1:${server.port}/` })));
    expect(server.connections()).toBe(2);
  });

  it('completes even if its connection pool is evicted during the request', async () => {
    const slow = await serve((_req, res) => void setTimeout(() => res.end('slow'), 100));
    const quick = await serve((_req, res) => res.end('quick'));
    const client = clientWith({ maxOrigins: 1 });
    const pending = client.request({ url: `http://127.0.0.1:${slow.port}/` });
    await client.request({ url: `http://127.0.0.1:${quick.port}/` });
    expect((await pending).body.toString()).toBe('slow');
  });

  it('tries the next checked address when the first refuses the connection', async () => {
    const server = await serve((_req, res) => res.end('ok'));
    const resolver = resolverOf({ 'two.example': ['::1', '127.0.0.1'] });
    const response = await clientWith({ resolver }).request({ url: `http://two.example:${server.port}/` });
    expect(response.address).toBe('127.0.0.1');
    expect(server.seen[0]?.headers.host).toBe(`two.example:${server.port}`);
  });
});

describe('addresses to which the outbound client connects', () => {
  it('must all be allowed: a host name with one forbidden address is rejected without a connection', async () => {
    const server = await serve((_req, res) => res.end('secret'));
    const resolver = resolverOf({ 'evil.example': ['1.1.1.1', '127.0.0.1'] });
    const client = clientWith({ policy: publicAddressesOnly, resolver });
    await expect(client.request({ url: `http://evil.example:${server.port}/` })).rejects.toMatchObject({
      failure: 'address_refused',
      host: 'evil.example',
      address: '127.0.0.1',
      range: 'loopback',
    });
    expect(server.connections()).toBe(0);
  });

  it('come from a single DNS lookup, whose results are checked before the client connects', async () => {
    const server = await serve((_req, res) => res.end('ok'));
    const resolver = vi.fn<Resolver>().mockResolvedValueOnce(['127.0.0.1']).mockResolvedValue(['127.0.0.2']);
    const policy = { ...publicAddressesOnly, allowNetworks: ['127.0.0.1/32'] };
    const client = clientWith({ policy, resolver });
    const url = `http://rebind.example:${server.port}/`;
    expect(await client.request({ url })).toMatchObject({ address: '127.0.0.1' });
    expect(resolver).toHaveBeenCalledTimes(1);
    expect(await socketsOpenedBy(() => client.request({ url }))).toBe(0);
    await expect(client.request({ url })).rejects.toThrow(AddressRefusedError);
    expect(server.seen).toHaveLength(1);
  });

  it('cause NameResolutionError if the lookup fails or returns no address', async () => {
    const failing = clientWith({ resolver: () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(failing.request({ url: 'http://nowhere.example/' })).rejects.toThrow(NameResolutionError);
    const empty = clientWith({ resolver: resolverOf({}) });
    await expect(empty.request({ url: 'http://nowhere.example/' })).rejects.toThrow(NameResolutionError);
  });
});

describe('URLs, methods and headers of the outbound client', () => {
  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:25/',
    'javascript:alert(1)',
    'example.com',
    '//example.com/',
    'http://',
    'http://user:secret@example.com/',
    'http://example.com@127.0.0.1/',
    'http://[fe80::1%25eth0]/',
    'http://exa mple.com/',
    'http://example.com:99999/',
  ])('reject the URL %s', async (url) => {
    await expect(clientWith().request({ url })).rejects.toThrow(UrlRefusedError);
  });

  it('reject a port that is not in allowPorts', async () => {
    const client = clientWith({ policy: { ...publicAddressesOnly, allowLoopback: true, allowPorts: [443] } });
    await expect(client.request({ url: 'http://127.0.0.1:22/' })).rejects.toThrow('Port 22 is not allowed');
  });

  it.each(['CONNECT', 'TRACE', 'GET /', 'GE\r\nT', ''])('reject the method %j', async (method) => {
    await expect(clientWith().request({ url: 'http://127.0.0.1/', method })).rejects.toThrow(MethodRefusedError);
  });

  it.each([
    ['X-Hook', 'a\r\nX-Injected: b'],
    ['X-Hook', 'a\nb'],
    ['X-Hook', 'a\0b'],
    ['X-Hook', 'wide \u010a line feed'],
    ['X-Hook\r\nX-Injected', 'a'],
    ['X Hook', 'a'],
    ['', 'a'],
    ['Host', 'other.example'],
    ['Content-Length', '1'],
    ['Transfer-Encoding', 'chunked'],
    ['HTTP2-Settings', 'AAMAAABk'],
    ['Proxy-Authorization', 'Basic x'],
  ])('reject the header %j: %j', async (name, value) => {
    const request = clientWith().request({ url: 'http://127.0.0.1/', headers: { [name]: value } });
    await expect(request).rejects.toThrow(HeaderRefusedError);
  });

  it('reject a header that is set twice in different letter case', async () => {
    const headers = { 'X-A': '1', 'x-a': '2' };
    await expect(clientWith().request({ url: 'http://127.0.0.1/', headers })).rejects.toThrow(HeaderRefusedError);
  });
});

describe('redirects of the outbound client', () => {
  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [301, 'PUT', 'PUT', 'data'],
    [302, 'DELETE', 'DELETE', 'data'],
    [307, 'POST', 'POST', 'data'],
    [308, 'PATCH', 'PATCH', 'data'],
  ])('change the method by status: %i changes %s to %s', async (status, method, expected, body) => {
    const server = await serve((req, res) =>
      req.url === '/a' ? res.writeHead(status, { location: '/b' }).end() : res.end('here'),
    );
    const url = `http://127.0.0.1:${server.port}/a`;
    const headers = { 'content-type': 'text/plain', authorization: 'Bearer x' };
    const response = await clientWith().request({ url, method, headers, body: 'data' });
    expect(response.redirects).toEqual([url]);
    expect(response.url).toBe(`http://127.0.0.1:${server.port}/b`);
    const last = server.seen[1];
    expect(last).toMatchObject({ method: expected, body, headers: { authorization: 'Bearer x' } });
    expect(last?.headers['content-type']).toBe(body === '' ? undefined : 'text/plain');
  });

  it('drop credentials and sensitive headers on another origin, also when redirected back', async () => {
    const back = await serve((req, res) =>
      req.url === '/start' ? res.writeHead(307, { location: `http://127.0.0.1:${away.port}/` }).end() : res.end('home'),
    );
    const away = await serve((_req, res) =>
      res.writeHead(307, { location: `http://127.0.0.1:${back.port}/end` }).end(),
    );
    await clientWith().request({
      url: `http://127.0.0.1:${back.port}/start`,
      method: 'POST',
      body: 'data',
      headers: { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Hook-Signature': 'f00', 'X-Kept': 'yes' },
      sensitiveHeaders: ['X-Hook-Signature'],
    });
    for (const request of [away.seen[0], back.seen[1]]) {
      expect(request).toMatchObject({ method: 'POST', body: 'data', headers: { 'x-kept': 'yes' } });
      expect(Object.keys(request?.headers ?? {})).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/authorization|cookie|signature/)]),
      );
    }
  });

  it.each([
    ['http://169.254.169.254/latest/', AddressRefusedError],
    ['http://inner.example/', AddressRefusedError],
    ['file:///etc/passwd', UrlRefusedError],
    ['http://user:pass@127.0.0.1/', UrlRefusedError],
    ['http://[', UrlRefusedError],
  ])('reject a redirect to %s', async (location, error) => {
    const server = await serve((_req, res) => res.writeHead(302, { location }).end());
    const resolver = resolverOf({ 'inner.example': ['10.0.0.1'] });
    const request = clientWith({ resolver }).request({ url: `http://127.0.0.1:${server.port}/` });
    await expect(request).rejects.toThrow(error);
  });

  it('cause an error above the maximum number, or return the redirect response when the maximum is 0', async () => {
    const server = await serve((_req, res) => res.writeHead(302, { location: '/again' }).end());
    const url = `http://127.0.0.1:${server.port}/`;
    await expect(clientWith({ maxRedirects: 3 }).request({ url })).rejects.toThrow(TooManyRedirectsError);
    expect(server.seen).toHaveLength(4);
    expect(await clientWith().request({ url, maxRedirects: 0 })).toMatchObject({ status: 302, redirects: [] });
  });
});

describe('limits of the outbound client', () => {
  it('make a request fail with a timeout when the response headers arrive too late', async () => {
    const server = await serve(() => undefined);
    const request = clientWith().request({ url: `http://127.0.0.1:${server.port}/`, headersTimeoutMs: 50 });
    await expect(request).rejects.toMatchObject({ failure: 'timeout', phase: 'headers', limitMs: 50 });
  });

  it('include totalTimeoutMs while a body arrives slowly', async () => {
    const server = await serve((_req, res) => {
      const drip = setInterval(() => res.write('.'), 10);
      res.on('close', () => clearInterval(drip));
    });
    const request = clientWith().request({ url: `http://127.0.0.1:${server.port}/`, totalTimeoutMs: 150 });
    await expect(request).rejects.toMatchObject({ phase: 'total', limitMs: 150 });
  });

  it('include totalTimeoutMs while the resolver hangs', async () => {
    const client = clientWith({ resolver: () => new Promise(() => undefined), totalTimeoutMs: 50 });
    await expect(client.request({ url: 'http://slow.example/' })).rejects.toThrow(OutboundTimeoutError);
  });

  it('include connectTimeoutMs during a TLS handshake that hangs', async () => {
    const silent = createTcpServer((socket) => void socket.on('error', () => socket.destroy()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanups.push(async () => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const request = clientWith().request({ url: `https://127.0.0.1:${port}/`, connectTimeoutMs: 60 });
    await expect(request).rejects.toMatchObject({ failure: 'timeout', phase: 'connect', limitMs: 60 });
  });

  it('truncate or reject a response larger than maxResponseBytes, by the oversize option', async () => {
    const server = await serve((_req, res) => res.end(Buffer.alloc(10_000_000, 'x')));
    const client = clientWith({ maxResponseBytes: 1000 });
    const url = `http://127.0.0.1:${server.port}/`;
    const cut = await client.request({ url, oversize: 'truncate' });
    expect(cut).toMatchObject({ status: 200, truncated: true });
    expect(cut.body.length).toBe(1000);
    await expect(client.request({ url })).rejects.toThrow(ResponseTooLargeError);
    const whole = await client.request({ url, maxResponseBytes: 10_000_000 });
    expect(whole).toMatchObject({ truncated: false, body: { length: 10_000_000 } });
  });

  it('end a request when its signal is aborted, before or during the request', async () => {
    const server = await serve(() => undefined);
    const url = `http://127.0.0.1:${server.port}/`;
    const reason = new Error('shutting down');
    const running = new AbortController();
    const request = clientWith().request({ url, signal: running.signal });
    setTimeout(() => running.abort(reason), 30);
    await expect(request).rejects.toBe(reason);
    await expect(clientWith().request({ url, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('failures of the outbound client', () => {
  it('name the address when connecting fails', async () => {
    const server = await serve(() => undefined);
    await server.close();
    const request = clientWith().request({ url: `http://127.0.0.1:${server.port}/` });
    await expect(request).rejects.toThrow(ConnectError);
    await expect(request).rejects.toMatchObject({ address: '127.0.0.1', cause: { code: 'ECONNREFUSED' } });
  });

  it('cause no retry at another address after the request was sent', async () => {
    const server = await serve((_req, res) => void res.destroy());
    const resolver = resolverOf({ 'two.example': ['127.0.0.1', '127.0.0.1'] });
    const request = clientWith({ resolver }).request({ url: `http://two.example:${server.port}/`, method: 'POST' });
    await expect(request).rejects.toThrow(ConnectionLostError);
    expect(server.seen).toHaveLength(1);
  });
});
