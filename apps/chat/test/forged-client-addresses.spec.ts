import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { listenOnFreePort, reportUnregisteredTest, reserveLocalPort, waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess } from './chat-server.js';
import { createCaddyArguments, findInstalledProgram, ProxyProgram } from './run-proxy-program.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let chatPort: number;
/** Chat process that is configured with the address of a trusted proxy instead of a number of trusted proxies. */
let byAddress: ChatProcess;
let byAddressPort: number;

beforeAll(async () => {
  cluster = await chatCluster();
  const limit = { RATE_LIMIT_API_BY_IP: '600:3' };
  chat = await cluster.start({ ...limit, TRUST_PROXY: '1' });
  byAddress = await cluster.start({ ...limit, TRUST_PROXY: '127.0.0.1' });
  chatPort = (await listenOnFreePort(chat.app)).port;
  byAddressPort = (await listenOnFreePort(byAddress.app)).port;
});
afterEach(async () => {
  const { redis, config } = chat.runtime;
  const keys = await redis.keys(`${config.REDIS_KEY_PREFIX}:rate:*`);
  if (keys.length > 0) await redis.del(...keys);
});
afterAll(() => cluster.stop());

/** Path of an endpoint whose requests without credentials are counted by client address. */
const limitedPath = '/api/v1/users/me';

/** Sends a request from the given loopback address to a port of 127.0.0.1. Returns the HTTP status of the response. */
function send(port: number, from: string, forwarded: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': forwarded };
    const sent = httpRequest({ host: '127.0.0.1', port, localAddress: from, path: limitedPath, headers });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.end();
  });
}

/**
 * Returns the client addresses in the log lines of requests to the tested endpoint. The first `start` log lines are
 * skipped.
 */
function loggedAddresses(start: number): unknown[] {
  const lines = cluster.log.slice(start).map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.filter(({ msg, route }) => msg === 'request' && route === limitedPath).map(({ address }) => address);
}

/**
 * Sends requests with forged address headers through a proxy. Checks that rate limits and log lines use the real
 * addresses of the connections.
 */
async function expectRealAddresses(port: number): Promise<void> {
  const start = cluster.log.length;
  const statuses: number[] = [];
  for (const forged of ['203.0.113.1', '203.0.113.2, 203.0.113.3', '127.0.0.1', '203.0.113.4']) {
    statuses.push(await send(port, '127.0.0.2', forged));
  }
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect(await send(port, '127.0.0.3', '127.0.0.2')).toBe(401);
  const real = ['127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.3'];
  // A line is written after the client has received the response.
  await waitFor(() => loggedAddresses(start).length >= real.length);
  expect(loggedAddresses(start)).toEqual(real);
}

/**
 * Function that returns the forwarding header lines that a proxy sends, given the received header lines and the
 * client's address.
 */
type ForwardedFor = (received: readonly string[], address: string) => readonly string[];

const habits: readonly [name: string, forwardedFor: ForwardedFor][] = [
  ['appends to the header, as nginx does', (received, address) => [[...received, address].join(', ')]],
  ['adds a second header line, as HAProxy does', (received, address) => [...received, address]],
  ['replaces the header, as Caddy does', (_received, address) => [address]],
];

/** Starts a reverse proxy for chat on a free port. */
async function startProxy(target: number, forwardedFor: ForwardedFor) {
  const server = createServer((incoming, outgoing) => {
    const headers = withForwardedFor(incoming, forwardedFor);
    const forwarded = httpRequest({ host: '127.0.0.1', port: target, path: incoming.url, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.once('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, close };
}

function withForwardedFor({ headers, headersDistinct, socket }: IncomingMessage, forwardedFor: ForwardedFor) {
  const received = headersDistinct['x-forwarded-for'] ?? [];
  return { ...headers, 'x-forwarded-for': [...forwardedFor(received, socket.remoteAddress ?? '')] };
}

describe('a client that forges X-Forwarded-For', () => {
  describe.each(habits)('through a proxy that %s', (_name, forwardedFor) => {
    it.each([
      ['TRUST_PROXY=1', () => chatPort],
      ["TRUST_PROXY with the proxy's address", () => byAddressPort],
    ])(
      'has rate limits and log lines with its real address when chat is configured with %s',
      async (_variable, target) => {
        const proxy = await startProxy(target(), forwardedFor);
        await expectRealAddresses(proxy.port);
        await proxy.close();
      },
    );
  });

  it('has rate limits and log lines with its real address without a proxy, although TRUST_PROXY names the proxy', async () => {
    await expectRealAddresses(byAddressPort);
  });
});

const documents = join(import.meta.dirname, '../../../docs/operate/configuration.md');

/**
 * Returns the example configuration of a proxy program in docs/operate/configuration.md, with the ports replaced by the
 * ports of the test.
 */
function documentedConfiguration(language: string, port: number): string {
  const blocks = readFileSync(documents, 'utf8').matchAll(/^```(\w+)[^\n]*\n([^]*?)^```$/gm);
  const text = [...blocks].find(([, name]) => name === language)?.[2] ?? '';
  return text.replace(/:?\b80\b/, (listened) => listened.replace('80', String(port))).replace('9991', String(chatPort));
}

interface RealProxy {
  readonly name: string;
  readonly language: string;
  /** Function that returns the complete configuration file of the proxy, given the documented part. */
  readonly file: (documented: string, folder: string) => string;
  readonly args: (file: string, folder: string) => string[];
}

const realProxies: readonly RealProxy[] = [
  {
    name: 'nginx',
    language: 'nginx',
    file: (documented, folder) =>
      `daemon off; pid ${folder}/pid; error_log stderr; events {}\nhttp {\naccess_log off;\n` +
      ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/t;\n`).join('') +
      `${documented}\n}\n`,
    args: (file, folder) => ['-p', folder, '-c', file],
  },
  { name: 'haproxy', language: 'haproxy', file: (documented) => documented, args: (file) => ['-db', '-f', file] },
  {
    name: 'caddy',
    language: 'caddyfile',
    file: (documented) => `{\nadmin off\nauto_https off\n}\n${documented}`,
    args: createCaddyArguments,
  },
];

const realProxyTitle = 'reports the real address of a client that forges X-Forwarded-For';
const installedProxies = realProxies.flatMap((proxy) => {
  const program = findInstalledProgram(proxy.name);
  if (program === undefined) reportUnregisteredTest(`${proxy.name}: ${realProxyTitle}`);
  return program === undefined ? [] : [{ ...proxy, program }];
});

describe.each(installedProxies)('$name, configured as documented', ({ program, language, file, args }) => {
  const proxy = new ProxyProgram(program);
  afterAll(() => proxy.stop());

  it(realProxyTitle, async () => {
    const port = await reserveLocalPort();
    const { folder } = proxy;
    await proxy.start(file(documentedConfiguration(language, port), folder), (path) => args(path, folder), port);
    await expectRealAddresses(port);
  });
});
