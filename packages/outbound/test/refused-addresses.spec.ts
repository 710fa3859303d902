import { isIP } from 'node:net';
import {
  recordConnectionAttempts,
  refusedHostNames,
  refusedUrls,
  startDnsServer,
  type TcpConnectionAttemptRecord,
  type TestDnsRecord,
  type TestDnsServer,
} from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  OutboundClient,
  OutboundError,
  publicAddressesOnly,
  type AddressPolicy,
  type OutboundRequest,
} from '../src/index.js';
import { startLocalServer, type LocalServer } from './local-test-server.js';

const names: Record<string, TestDnsRecord> = {
  ...refusedHostNames,
  'open.test': ['127.0.0.1'],
  'changes.test': { turns: [['127.0.0.1'], ['127.0.0.2']] },
  'changes-back.test': { turns: [['127.0.0.2'], ['127.0.0.1']] },
  'grows.test': { turns: [['127.0.0.1'], ['127.0.0.1', '169.254.169.254']] },
  'moves-to-6.test': { turns: [['127.0.0.1'], ['::1']] },
};

/** The only test server that listens. It redirects every request to the URL that the request path contains. */
let server: LocalServer;
let dns: TestDnsServer;
let attempts: TcpConnectionAttemptRecord;
const clients: OutboundClient[] = [];

beforeAll(async () => {
  dns = await startDnsServer(names);
  server = await startLocalServer((req, res) => {
    const { searchParams } = new URL(req.url, 'http://server');
    const location = searchParams.getAll('to').map((to) => Buffer.from(to).toString('latin1'));
    if (location.length > 0) {
      res.statusCode = Number(searchParams.get('status') ?? 302);
      res.setHeader('location', location);
    }
    res.end();
  });
});

afterAll(async () => {
  await server.close();
  await dns.close();
});

beforeEach(() => {
  server.seen.length = 0;
  attempts = recordConnectionAttempts();
});

afterEach(async () => {
  attempts.stop();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

function clientWith(policy: Partial<AddressPolicy> = {}): OutboundClient {
  const client = new OutboundClient({
    policy: { ...publicAddressesOnly, allowHosts: ['open.test'], ...policy },
    resolver: dns.resolve,
    connectTimeoutMs: 2000,
    totalTimeoutMs: 5000,
  });
  clients.push(client);
  return client;
}

async function failureOf(request: Promise<unknown>): Promise<string> {
  const error: unknown = await request.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof OutboundError) return error.failure;
  throw error ?? new Error('the request succeeded');
}

function startRedirectServer(to: string | string[], status = 302): string {
  const query = new URLSearchParams([['status', String(status)], ...[to].flat().map((one) => ['to', one])]);
  return `http://open.test:${server.port}/?${query}`;
}

const withPort = (url: string): string => url.replaceAll('{port}', String(server.port));

describe('outbound client with forbidden addresses', () => {
  it('connects to allowed addresses by HTTP and HTTPS', async () => {
    for (const scheme of ['http', 'https']) {
      await clientWith()
        .request({ url: `${scheme}://open.test:${server.port}/` })
        .catch(() => undefined);
    }
    expect(attempts.targets).toEqual([`127.0.0.1 ${server.port}`, `127.0.0.1 ${server.port}`]);
    expect(attempts.count()).toBe(2);
  });

  it.each(refusedUrls)('rejects $how: $url', async ({ url, failure }) => {
    expect(await failureOf(clientWith().request({ url: withPort(url) }))).toBe(failure);
    expect(attempts.count()).toBe(0);
  });

  it('rejects ports outside allowPorts', async () => {
    const client = clientWith({ allowPorts: [443] });
    for (const url of [`http://open.test:${server.port}/`, 'http://open.test/', 'https://open.test:22/']) {
      expect(await failureOf(client.request({ url }))).toBe('url_refused');
    }
    expect(attempts.count()).toBe(0);
  });

  it('rejects a name that does not resolve', async () => {
    expect(await failureOf(clientWith().request({ url: 'http://nobody.test/' }))).toBe('name_not_resolved');
    expect(attempts.count()).toBe(0);
  });

  it('rejects host names that resemble an allowed host name', async () => {
    for (const host of ['open.test.loopback.test', 'xopen.test', 'loopback.test%2eopen.test']) {
      await failureOf(clientWith().request({ url: `http://${host}:${server.port}/` }));
    }
    expect(attempts.count()).toBe(0);
  });
});

describe('redirects to forbidden addresses', () => {
  // Header values are bytes, so other scripts arrive as different characters that name none of these hosts.
  const sendable = refusedUrls.filter(({ url }) => /^[!-~]+$/.test(url) && URL.canParse(withNumber(url)));

  it.each(sendable)('rejects a redirect to $how: $url', async ({ url, failure }) => {
    // A URL with the scheme of its base may omit the slashes and is then a path on the same host.
    const samePath = /^http:\/?127/.test(url);
    const request = clientWith().request({ url: startRedirectServer(withPort(url)) });
    if (samePath) expect((await request).url).toContain('open.test');
    else expect(await failureOf(request)).toBe(failure);
    expect(attempts.count()).toBe(1);
  });

  it.each([301, 302, 303, 307, 308].flatMap((status) => ['GET', 'POST'].map((method) => ({ status, method }))))(
    'rejects a redirect with status $status after a $method request',
    async ({ status, method }) => {
      const url = startRedirectServer(`http://127.0.0.1:${server.port}/`, status);
      expect(await failureOf(clientWith().request({ url, method }))).toBe('address_refused');
      expect(attempts.count()).toBe(1);
    },
  );

  it.each(['//127.0.0.1:{port}/', '\\\\127.0.0.1:{port}/', '/\\127.0.0.1:{port}/', '\\/loopback.test:{port}/'])(
    'rejects a scheme-relative redirect to %s',
    async (location) => {
      expect(await failureOf(clientWith().request({ url: startRedirectServer(withPort(location)) }))).toBe(
        'address_refused',
      );
      expect(attempts.count()).toBe(1);
    },
  );

  it('reject a forbidden address at the end of a chain of redirects', async () => {
    const last = `http://loopback.test:${server.port}/`;
    const url = startRedirectServer(startRedirectServer(startRedirectServer(last, 307), 308), 301);
    expect(await failureOf(clientWith().request({ url }))).toBe('address_refused');
    expect(server.seen).toHaveLength(3);
    expect(new Set(attempts.targets)).toEqual(new Set([`127.0.0.1 ${server.port}`]));
  });

  it('have no effect in a second Location header', async () => {
    const locations = [`http://open.test:${server.port}/`, `http://127.0.0.1:${server.port}/`];
    await clientWith()
      .request({ url: startRedirectServer(locations) })
      .catch(() => undefined);
    expect(server.seen.every(({ headers }) => headers.host === `open.test:${server.port}`)).toBe(true);
  });
});

describe('host name whose address changes', () => {
  const one: Partial<AddressPolicy> = { allowNetworks: ['127.0.0.1/32'] };
  const to = (host: string): OutboundRequest => ({ url: `http://${host}:${server.port}/` });

  it.each(['changes.test', 'grows.test', 'moves-to-6.test'])(
    'connects to the address that was checked, and is rejected at the next lookup: %s',
    async (host) => {
      const client = clientWith(one);
      const asked = dns.asked.length;
      expect(await client.request(to(host))).toMatchObject({ status: 200, address: '127.0.0.1' });
      expect(dns.asked.slice(asked)).toEqual([host, host]); // A and AAAA, once.
      expect(await failureOf(client.request(to(host)))).toBe('address_refused');
      expect(attempts.targets).toEqual([`127.0.0.1 ${server.port}`]);
    },
  );

  it('causes another check of the address after a redirect to the same host name', async () => {
    const client = clientWith({ allowNetworks: ['127.0.0.1/32'], allowHosts: [] });
    const turning = await startDnsServer({ 'turns.test': { turns: [['127.0.0.1'], ['127.0.0.2']] } });
    const rebound = new OutboundClient({ policy: { ...publicAddressesOnly, ...one }, resolver: turning.resolve });
    clients.push(client, rebound);
    const query = new URLSearchParams({ to: '/again' });
    const request = rebound.request({ url: `http://turns.test:${server.port}/?${query}` });
    expect(await failureOf(request)).toBe('address_refused');
    expect(server.seen).toHaveLength(1);
    expect(attempts.targets).toEqual([`127.0.0.1 ${server.port}`]);
    await turning.close();
  });

  it('connects to the new address of the host name when this address is allowed', async () => {
    const client = clientWith(one);
    expect(await failureOf(client.request(to('changes-back.test')))).toBe('address_refused');
    expect(attempts.count()).toBe(0);
    expect(await client.request(to('changes-back.test'))).toMatchObject({ status: 200 });
  });
});

function withNumber(url: string): string {
  return url.replaceAll('{port}', '8080');
}

describe('OutboundClient.checkUrl', () => {
  it('refuses the same URLs as a request without a connection, except forbidden host names', () => {
    const checking = new OutboundClient({ policy: publicAddressesOnly });
    clients.push(checking);
    const accepted: string[] = [];
    for (const { url, failure } of refusedUrls) {
      const target = url.replace('{port}', '80');
      try {
        checking.checkUrl(target);
        accepted.push(new URL(target).hostname);
      } catch (error) {
        expect(error, target).toBeInstanceOf(OutboundError);
        expect(error, target).toMatchObject({ failure });
      }
    }
    expect(accepted.filter((host) => isIP(host.replaceAll(/[[\]]/g, '')) !== 0)).toEqual([]);
    expect(accepted.length).toBeLessThan(refusedUrls.length / 2);
    checking.checkUrl('https://1.1.1.1/');
    expect(attempts.count()).toBe(0);
  });
});
