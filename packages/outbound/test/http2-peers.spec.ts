import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { constants, createSecureServer, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { connect, createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import { TestCertificateAuthority } from '@switchboard/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutboundTimeoutError, type OutboundClient, type OutboundClientOptions } from '../src/index.js';
import { loopbackClient } from './loopback-client.js';

const cleanups: (() => Promise<void> | void)[] = [];
let authority: TestCertificateAuthority;
let certificate: { cert: string; key: string };

beforeAll(async () => {
  authority = await TestCertificateAuthority.create();
  certificate = await authority.issueCertificate(['receiver.example', '::1']);
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const tls = (): { ca: string } => ({ ca: authority.cert });

function clientWith(options: Partial<OutboundClientOptions> = {}): OutboundClient {
  const client = loopbackClient(options);
  cleanups.push(() => client.close());
  return client;
}

/** Starts a test server, which is stopped at the end of the test. Returns its address. */
async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return (server.address() as AddressInfo).port;
}

/** Starts an HTTP/2 test server that responds with the given function. */
function listenHttp2(response: (stream: ServerHttp2Stream, path: string) => void, host?: string): Promise<number> {
  const server = createSecureServer(certificate);
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    response(stream, String(headers[':path']));
  });
  return listen(server, host);
}

const respond = (stream: ServerHttp2Stream, body: string): void => {
  stream.respond({ ':status': 200 });
  stream.end(body);
};

describe('HTTP/1.1 and HTTP/2 connections of the outbound client', () => {
  it('use HTTP/1.1 for later requests when the first connection cannot be opened', async () => {
    let refuses = false;
    let finish: (() => void) | undefined;
    const listener: RequestListener = (request, response) => {
      if (request.url === '/slow') finish = () => response.end('heard');
      else response.end('heard');
    };
    const server = createHttps(certificate, listener);
    server.on('connection', (socket: Socket) => refuses && socket.resetAndDestroy());
    const url = `https://receiver.example:${await listen(server)}`;
    const client = clientWith({ totalTimeoutMs: 5_000 });
    const slow = client.request({ url: `${url}/slow`, tls: tls() });
    await expect.poll(() => finish).toBeDefined();
    refuses = true;
    await expect(client.request({ url, tls: tls() })).rejects.toThrow('Could not connect');
    refuses = false;
    finish?.();
    await slow;
    // The connection of the slow request is free for the next ones.
    await sleep(100);
    for (let n = 0; n < 3; n += 1) expect((await client.request({ url, tls: tls() })).body.toString()).toBe('heard');
    await client.close();
  });

  it('support two servers with different HTTP versions behind one address', async () => {
    const sessions: Http2Session[] = [];
    let finish: (() => void) | undefined;
    const older = await listen(
      createHttps(certificate, (request, response) => {
        if (request.url === '/slow') finish = () => response.end('1.1');
        else response.end('1.1');
      }),
    );
    const newer = await listenHttp2((stream) => {
      if (stream.session) sessions.push(stream.session);
      respond(stream, '2');
    });
    let connections = 0;
    const balancer = createTcp((socket) => {
      connections += 1;
      const behind = connect(connections === 2 ? newer : older, '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      for (const [one, other] of [
        [socket, behind],
        [behind, socket],
      ] as const) {
        one.on('error', () => undefined);
        one.on('close', () => other.destroy());
      }
    });
    const url = `https://receiver.example:${await listen(balancer)}`;
    const client = clientWith({ totalTimeoutMs: 5_000 });
    const ask = async (path: string): Promise<string> =>
      (await client.request({ url: `${url}${path}`, tls: tls() })).body.toString();
    const slow = ask('/slow');
    await expect.poll(() => finish).toBeDefined();
    expect(await ask('/a')).toBe('2');
    finish?.();
    expect(await slow).toBe('1.1');
    sessions[0]?.close();
    await sleep(50);
    expect(['1.1', '2']).toContain(await ask('/b'));
    expect([await ask('/c'), await ask('/d')]).toEqual(['1.1', '1.1']);
  });

  it('use only HTTP/1.1 if the client disables HTTP/2', async () => {
    const server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) =>
      response.end(request.httpVersion),
    );
    const url = `https://receiver.example:${await listen(server)}`;
    expect((await clientWith({ http2: false }).request({ url, tls: tls() })).body.toString()).toBe('1.1');
    expect((await clientWith().request({ url, tls: tls() })).body.toString()).toBe('2.0');
  });

  it('switch to HTTP/1.1 when the server responds HTTP_1_1_REQUIRED', async () => {
    const server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
      if (request.httpVersion !== '2.0') return void response.end('1.1');
      request.stream.on('error', () => undefined);
      request.stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED);
    });
    const url = `https://receiver.example:${await listen(server)}`;
    const client = clientWith();
    for (let n = 0; n < 2; n += 1) expect((await client.request({ url, tls: tls() })).body.toString()).toBe('1.1');
  });
});

describe('request of the HTTP/2 client', () => {
  it('has an :authority like the Host header: IPv6 in brackets, no default port', async () => {
    const seen: string[] = [];
    const server = createSecureServer(certificate, (request, response) => {
      seen.push(String(request.headers[':authority']));
      response.end();
    });
    const port = await listen(server, '::1');
    const client = clientWith();
    await client.request({ url: `https://[::1]:${port}/`, tls: tls() });
    // A proxy that connects to the test's server for every requested port.
    const proxy = createHttp().on('connect', (_request, socket: Socket) => {
      const behind = connect(port, '::1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(behind).pipe(socket);
      });
      behind.on('error', () => socket.destroy());
    });
    const url = `http://127.0.0.1:${await listen(proxy)}`;
    await client.request({ url: 'https://receiver.example/', tls: tls(), proxy: { url, noProxy: [] } });
    expect(seen).toEqual([`[::1]:${port}`, 'receiver.example']);
  });

  it('advertises large stream and connection windows', async () => {
    let session: Http2Session | undefined;
    const port = await listenHttp2((stream) => {
      session = stream.session;
      respond(stream, '');
    });
    await clientWith().request({ url: `https://receiver.example:${port}`, tls: tls() });
    expect(session?.remoteSettings.initialWindowSize).toBe(1024 * 1024);
    await vi.waitFor(() => expect(session?.state.remoteWindowSize).toBeGreaterThan(4 * 1024 * 1024));
  });
});

describe('response of an HTTP/2 server', () => {
  it('reaches the client before a large request body is sent completely', async () => {
    const unread: ServerHttp2Stream[] = [];
    const port = await listenHttp2((stream, path) => {
      if (path === '/small') return respond(stream, 'heard');
      unread.push(stream);
    });
    const client = clientWith();
    const url = `https://receiver.example:${port}`;
    const body = Buffer.alloc(5 * 1024 * 1024);
    const large = [1, 2, 3, 4].map(() => client.request({ url, method: 'PUT', body, tls: tls() }));
    await vi.waitFor(() => expect(unread).toHaveLength(4));
    expect((await client.request({ url: `${url}/small`, tls: tls() })).body.toString()).toBe('heard');
    for (const stream of unread) stream.resume().on('end', () => respond(stream, 'all'));
    for (const response of large) expect((await response).body.toString()).toBe('all');
  });

  it('succeeds although the server does not read the whole request', async () => {
    const port = await listenHttp2((stream) => {
      stream.pause();
      stream.respond({ ':status': 413 });
      stream.end('too large');
    });
    const url = `https://receiver.example:${port}`;
    const response = await clientWith().request({ url, method: 'POST', body: Buffer.alloc(2_000_000), tls: tls() });
    expect([response.status, response.body.toString()]).toEqual([413, 'too large']);
  });

  it('reaches the client completely when the client closes while a new connection replaces the old connection', async () => {
    let asked = 0;
    const port = await listenHttp2((stream) => {
      if ((asked += 1) > 1) return respond(stream, 'heard');
      stream.session?.close();
      setTimeout(() => respond(stream, 'at last'), 300);
    });
    const url = `https://receiver.example:${port}`;
    const client = clientWith();
    let responded = false;
    const slow = client.request({ url, tls: tls() }).then(() => (responded = true));
    await sleep(50);
    await client.request({ url, tls: tls() });
    await client.close();
    expect(responded).toBe(true);
    await slow;
  });
});

describe('server that leaves its connection open', () => {
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  const goaway = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const response = Buffer.from([0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88]);
  /**
   * SETTINGS and WINDOW_UPDATE frames with which a server allows unlimited request data. The test server never reads
   * the request data.
   */
  const room = Buffer.from([
    0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0, 0, 0,
  ]);
  const tooLong = Buffer.concat([settings, Buffer.from([1, 0x86, 0xa0, 1, 5, 0, 0, 0, 1]), Buffer.alloc(100_000)]);

  /** TCP connections that this process has opened as a client. */
  const opened: Socket[] = [];
  const remember = (message: unknown): void => {
    if (typeof message === 'object' && message !== null && 'socket' in message) opened.push(message.socket as Socket);
  };

  beforeEach(() => {
    opened.length = 0;
    subscribe('net.client.socket', remember);
    cleanups.push(() => void unsubscribe('net.client.socket', remember));
  });

  it.each([
    ['never answers', (socket: TLSSocket): unknown => socket.write(settings), 1],
    ['answers', (socket: TLSSocket) => socket.once('data', () => socket.write(Buffer.concat([settings, response]))), 1],
    ['says GOAWAY and stays', (socket: TLSSocket) => socket.write(Buffer.concat([settings, goaway])), 1],
    ['reads nothing', (socket: TLSSocket) => socket.write(room) && socket.pause(), 30_000_000],
    ['sends what is no HTTP/2', (socket: TLSSocket) => socket.once('data', () => socket.write(tooLong)), 1],
  ])('loses its connection when the client closes, even after a server that %s', async (_name, speak, size) => {
    const options = { ...certificate, ALPNProtocols: ['h2'], allowHalfOpen: true };
    const server = createTls(options, (socket) => {
      socket.on('error', () => undefined);
      speak(socket);
      if (size === 1) socket.resume();
    });
    Object.assign(server, { allowHalfOpen: true });
    const url = `https://receiver.example:${await listen(server)}`;
    const client = clientWith({ headersTimeoutMs: 150, keepAliveMs: 100 });
    for (let n = 0; n < 3; n += 1) {
      const body = Buffer.alloc(size);
      await client.request({ url, method: 'POST', body, tls: tls() }).catch((error: unknown) => error);
    }
    await vi.waitFor(() => expect(opened.map(({ destroyed }) => destroyed)).not.toContain(false), 5_000);
    expect(opened.length).toBeGreaterThan(0);
    await client.close();
  });

  it('makes all waiting requests fail when the headers timeout is reached', async () => {
    const server = createTls({ ...certificate, ALPNProtocols: ['h2'] }, (socket) => {
      socket.on('error', () => undefined);
      socket.write(settings);
      socket.resume();
    });
    const url = `https://receiver.example:${await listen(server)}`;
    const client = clientWith({ headersTimeoutMs: 100 });
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => client.request({ url, tls: tls() })));
    for (const one of all) expect(one).toMatchObject({ reason: expect.any(OutboundTimeoutError) });
  });
});
