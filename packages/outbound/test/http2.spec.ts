import { createServer as createHttp1Server } from 'node:https';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestCertificateAuthority } from '@switchboard/testing';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  ConnectionLostError,
  OutboundTimeoutError,
  type OutboundClient,
  type OutboundClientOptions,
} from '../src/index.js';
import { loopbackClient } from './loopback-client.js';

interface Seen {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Respond = (request: Seen, count: number) => void;

const cleanups: (() => Promise<void> | void)[] = [];
let authority: TestCertificateAuthority;
let certificate: { cert: string; key: string };

beforeAll(async () => {
  authority = await TestCertificateAuthority.create();
  certificate = await authority.issueCertificate(['receiver.example']);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** HTTP/2 test server that records the requests it receives. */
class Receiver {
  readonly seen: Seen[] = [];
  readonly sessions: ServerHttp2Session[] = [];
  connections = 0;

  private constructor(private readonly server: Http2SecureServer) {}

  static async start(respond: Respond, settings: Settings = {}, port = 0): Promise<Receiver> {
    const server = createSecureServer({ ...certificate, settings });
    const receiver = new Receiver(server);
    server.on('secureConnection', () => (receiver.connections += 1));
    server.on('session', (session) => receiver.sessions.push(session));
    server.on('stream', (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const request = { stream, headers, body: Buffer.concat(chunks).toString() };
        receiver.seen.push(request);
        respond(request, receiver.seen.length);
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    cleanups.push(() => receiver.stop());
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://receiver.example:${this.port}/`;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    for (const session of this.sessions) session.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

function clientWith(options: Partial<OutboundClientOptions> = {}): OutboundClient {
  const client = loopbackClient(options);
  cleanups.push(() => client.close());
  return client;
}

const tls = (): { ca: string } => ({ ca: authority.cert });
const say = ({ stream }: Seen, body = 'heard'): void => {
  stream.respond({ ':status': 200, 'content-type': 'text/plain' });
  stream.end(body);
};

describe('server that offers HTTP/2', () => {
  it('receives every method, bodies and headers over HTTP/2', async () => {
    const receiver = await Receiver.start((request) => {
      request.stream.respond({ ':status': 201, 'set-cookie': ['a=1', 'b=2'], 'x-one': 'two' });
      request.stream.end('done');
    });
    const client = clientWith();
    for (const [method, body] of [
      ['GET', 'asked'],
      ['DELETE', 'gone'],
      ['POST', ''],
      ['PUT', 'kept'],
      ['HEAD', undefined],
    ] as const) {
      const response = await client.request({
        url: `${receiver.url}in?a=b`,
        method,
        headers: { 'Content-Type': 'text/plain', 'X-Latin': 'caf\u00e9' },
        ...(body !== undefined && { body }),
        tls: tls(),
      });
      expect(response).toMatchObject({ status: 201, headers: { 'set-cookie': ['a=1', 'b=2'], 'x-one': 'two' } });
      expect(response.body.toString()).toBe(method === 'HEAD' ? '' : 'done');
      expect(response.address).toBe('127.0.0.1');
    }
    expect(receiver.seen.map(({ headers, body }) => [headers[':method'], headers['content-length'], body])).toEqual([
      ['GET', '5', 'asked'],
      ['DELETE', '4', 'gone'],
      ['POST', '0', ''],
      ['PUT', '4', 'kept'],
      ['HEAD', undefined, ''],
    ]);
    const [first] = receiver.seen;
    expect(first?.headers).toMatchObject({
      ':path': '/in?a=b',
      ':scheme': 'https',
      ':authority': `receiver.example:${receiver.port}`,
      'content-type': 'text/plain',
      'x-latin': 'caf\u00e9',
    });
    expect(Object.keys(first?.headers ?? {}).filter((name) => name === 'host' || name === 'connection')).toEqual([]);
    expect(receiver.connections).toBe(1);
  });

  it('receives concurrent requests on one connection, up to the stream limit of the server', async () => {
    let running = 0;
    let most = 0;
    const receiver = await Receiver.start(
      (request) => {
        most = Math.max(most, (running += 1));
        setTimeout(() => {
          running -= 1;
          say(request, request.headers[':path']?.toString());
        }, 10);
      },
      { maxConcurrentStreams: 3 },
    );
    const client = clientWith();
    // The limit of the server is known after its first response.
    await client.request({ url: receiver.url, tls: tls() });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.request({ url: `${receiver.url}${n}`, tls: tls() })),
    );
    expect(responses.map(({ body }) => body.toString())).toEqual(Array.from({ length: 20 }, (_, n) => `/${n}`));
    expect([receiver.connections, most]).toEqual([1, 3]);
  });

  it('receives many concurrent first requests on one connection', async () => {
    const receiver = await Receiver.start((request) => say(request));
    const client = clientWith();
    await Promise.all(Array.from({ length: 20 }, () => client.request({ url: receiver.url, tls: tls() })));
    expect([receiver.connections, receiver.seen.length]).toEqual([1, 20]);
  });

  it('receives all requests on one connection, which the client closes when the connection is idle', async () => {
    const receiver = await Receiver.start((request) => say(request));
    const client = clientWith({ keepAliveMs: 80 });
    for (let n = 0; n < 3; n += 1) await client.request({ url: receiver.url, tls: tls() });
    expect(receiver.connections).toBe(1);
    await vi.waitFor(() => expect(receiver.sessions.map(({ destroyed }) => destroyed)).toEqual([true]));
    await client.request({ url: receiver.url, tls: tls() });
    expect(receiver.connections).toBe(2);
  });

  it('receives requests again after the server has switched to HTTP/1.1 and back to HTTP/2', async () => {
    const client = clientWith();
    const receiver = await Receiver.start((request) => say(request));
    const { port, url } = receiver;
    expect((await client.request({ url, tls: tls() })).body.toString()).toBe('heard');
    await receiver.stop();
    const sockets = new Set<{ destroy(): unknown }>();
    const older = createHttp1Server(certificate, (request, response) => response.end(request.httpVersion));
    older.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => older.listen(port, '127.0.0.1', resolve));
    const responses = await Promise.all([1, 2, 3].map(() => client.request({ url, tls: tls() })));
    expect(responses.map(({ body }) => body.toString())).toEqual(['1.1', '1.1', '1.1']);
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => older.close(() => resolve()));
    await Receiver.start((request) => say(request), {}, port);
    await vi.waitFor(async () => expect((await client.request({ url, tls: tls() })).body.toString()).toBe('heard'));
  });

  it('responds to running requests while OutboundClient.close waits for them', async () => {
    const receiver = await Receiver.start((request) => void setTimeout(() => say(request), 50));
    const client = clientWith();
    const first = client.request({ url: receiver.url, tls: tls() });
    const second = client.request({ url: receiver.url, tls: tls() });
    await sleep(0);
    await client.close();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });
});

describe('HTTP/2 connection that ends', () => {
  it('lets running requests complete after GOAWAY, and sends the next request over another connection', async () => {
    const receiver = await Receiver.start((request, count) => {
      if (count > 1) return say(request);
      request.stream.session?.close();
      setTimeout(() => say(request, 'at last'), 50);
    });
    const client = clientWith();
    const slow = client.request({ url: receiver.url, method: 'POST', body: 'once', tls: tls() });
    await vi.waitFor(() => expect(receiver.seen).toHaveLength(1));
    await sleep(20);
    // Received data is processed before the next request, even if the processor was busy for these 20 ms.
    await new Promise((resolve) => setImmediate(resolve));
    expect((await client.request({ url: receiver.url, tls: tls() })).body.toString()).toBe('heard');
    expect((await slow).body.toString()).toBe('at last');
    expect([receiver.connections, receiver.seen.length]).toEqual([2, 2]);
  });

  it('makes the client repeat a request once after REFUSED_STREAM', async () => {
    let refusals = 1;
    const receiver = await Receiver.start((request) => {
      if ((refusals -= 1) < 0) return say(request);
      request.stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    const client = clientWith();
    const send = (): ReturnType<OutboundClient['request']> =>
      client.request({ url: receiver.url, method: 'POST', body: 'twice', tls: tls() });
    expect((await send()).body.toString()).toBe('heard');
    expect(receiver.seen.map(({ body }) => body)).toEqual(['twice', 'twice']);
    refusals = 10;
    await expect(send()).rejects.toThrow(ConnectionLostError);
    expect(receiver.seen).toHaveLength(4);
  });

  it.each([
    ['before an answer', (): void => undefined],
    [
      'in the middle of one',
      ({ stream }: Seen): void => {
        stream.respond({ ':status': 200 });
        stream.write('half of');
      },
    ],
  ])('makes the request fail without a retry after %s', async (_when, begin) => {
    const receiver = await Receiver.start((request, count) => {
      if (count > 1) return say(request);
      begin(request);
      setTimeout(() => request.stream.session?.destroy(), 20);
    });
    const client = clientWith();
    await expect(client.request({ url: receiver.url, tls: tls() })).rejects.toThrow(ConnectionLostError);
    expect(receiver.seen).toHaveLength(1);
    expect((await client.request({ url: receiver.url, tls: tls() })).status).toBe(200);
  });

  it('fails only the request whose stream is reset', async () => {
    const receiver = await Receiver.start((request) => {
      if (request.headers[':path'] !== '/reset') return void setTimeout(() => say(request), 40);
      request.stream.respond({ ':status': 200 });
      request.stream.write('half of');
      setTimeout(() => request.stream.destroy(new Error('broken')), 10);
    });
    const client = clientWith();
    const other = client.request({ url: receiver.url, tls: tls() });
    await expect(client.request({ url: `${receiver.url}reset`, tls: tls() })).rejects.toThrow(ConnectionLostError);
    expect((await other).body.toString()).toBe('heard');
    expect(receiver.connections).toBe(1);
  });
});

describe('limits over HTTP/2', () => {
  it('truncate a body without closing the connection', async () => {
    const receiver = await Receiver.start((request) => say(request, 'x'.repeat(1_000_000)));
    const client = clientWith();
    const limits = { maxResponseBytes: 1_000, oversize: 'truncate' } as const;
    for (let n = 0; n < 2; n += 1) {
      const response = await client.request({ url: receiver.url, tls: tls(), ...limits });
      expect([response.status, response.truncated, response.body.length]).toEqual([200, true, 1_000]);
    }
    expect(receiver.connections).toBe(1);
  });

  it('include a timeout, after which the connection is not reused', async () => {
    const receiver = await Receiver.start((request, count) => {
      if (count > 1) say(request);
    });
    const client = clientWith({ headersTimeoutMs: 500 });
    await expect(client.request({ url: receiver.url, tls: tls() })).rejects.toThrow(OutboundTimeoutError);
    expect((await client.request({ url: receiver.url, tls: tls() })).status).toBe(200);
    expect(receiver.connections).toBe(2);
  });

  it('end a request when its signal is aborted, even while the request waits for the connection', async () => {
    const receiver = await Receiver.start((request) => say(request));
    const client = clientWith();
    const ending = new AbortController();
    const requests = [1, 2, 3].map(() => client.request({ url: receiver.url, tls: tls(), signal: ending.signal }));
    await sleep(0);
    ending.abort(new Error('enough'));
    for (const request of requests) await expect(request).rejects.toThrow('enough');
    expect((await client.request({ url: receiver.url, tls: tls() })).status).toBe(200);
  });
});
