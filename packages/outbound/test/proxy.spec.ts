import { createServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { startTestProxy, TestCertificateAuthority, type TestProxy } from '@switchboard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AddressRefusedError, OutboundClient, publicAddressesOnly, type OutboundClientOptions } from '../src/index.js';
import { startLocalServer, type LocalServer } from './local-test-server.js';

const names: Record<string, string[]> = {
  'hook.example': ['127.0.0.1'],
  'near.example': ['127.0.0.1'],
  'a.near.example': ['127.0.0.1'],
  'inner.example': ['10.0.0.1'],
};

const cleanups: (() => Promise<void> | void)[] = [];
let proxy: TestProxy;
let server: LocalServer;

beforeEach(async () => {
  proxy = await startTestProxy();
  server = await startLocalServer((req, res) => {
    const { searchParams } = new URL(req.url, 'http://server');
    const to = searchParams.get('to');
    res.writeHead(to ? 307 : 200, to ? { location: to } : {}).end('answered');
  });
  cleanups.push(proxy.close, server.close);
});

afterEach(async () => {
  await Promise.all(cleanups.splice(0).map(async (cleanup) => cleanup()));
});

function clientWith(options: Partial<OutboundClientOptions> = {}): OutboundClient {
  const client = new OutboundClient({
    policy: { ...publicAddressesOnly, allowLoopback: true },
    resolver: (host) => Promise.resolve(names[host] ?? []),
    proxy: { url: `http://${proxy.host}` },
    ...options,
  });
  cleanups.push(() => client.close());
  return client;
}

const urlOf = (host: string, path = '/'): string => `http://${host}:${server.port}${path}`;

describe('outbound proxy', () => {
  it('receives its credentials and the checked address, but no forbidden address', async () => {
    const client = clientWith({ proxy: { url: `http://me:s%20cret@${proxy.host}` } });
    const response = await client.request({ url: urlOf('hook.example'), headers: { authorization: 'Bearer x' } });
    expect(response.body.toString()).toBe('answered');
    const authorization = `Basic ${Buffer.from('me:s cret').toString('base64')}`;
    expect(proxy.tunnels).toEqual([{ target: `127.0.0.1:${server.port}`, authorization }]);
    expect(server.seen[0]?.headers).toMatchObject({ host: `hook.example:${server.port}`, authorization: 'Bearer x' });
    expect(server.seen[0]?.headers).not.toHaveProperty('proxy-authorization');
    await expect(client.request({ url: 'http://inner.example/' })).rejects.toThrow(AddressRefusedError);
    expect(proxy.tunnels).toHaveLength(1);
  });

  it("can be set by a request, instead of the client's proxy", async () => {
    const other = await startTestProxy();
    cleanups.push(other.close);
    await clientWith().request({ url: urlOf('hook.example'), proxy: { url: `http://${other.host}` } });
    expect([proxy.tunnels.length, other.tunnels.length]).toEqual([0, 1]);
  });

  it('opens a tunnel for TLS, which is verified by the host name of the URL', async () => {
    const authority = await TestCertificateAuthority.create();
    const receiver = createServer(await authority.issueCertificate(['hook.example']), (_req, res) => res.end('secure'));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    cleanups.push(
      () => receiver.closeAllConnections(),
      () => void receiver.close(),
    );
    const { port } = receiver.address() as AddressInfo;
    const client = clientWith();
    const tls = { ca: authority.cert };
    const response = await client.request({ url: `https://hook.example:${port}/`, tls });
    expect(response.body.toString()).toBe('secure');
    expect(proxy.tunnels.map(({ target }) => target)).toEqual([`127.0.0.1:${port}`]);
    const other = client.request({ url: `https://near.example:${port}/`, tls });
    await expect(other).rejects.toMatchObject({ cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
  });

  it('receives one tunnel request per redirect, but no tunnel request for a forbidden address', async () => {
    const client = clientWith();
    await client.request({ url: urlOf('hook.example', `/?to=${encodeURIComponent(urlOf('near.example'))}`) });
    expect(proxy.tunnels).toHaveLength(2);
    const refused = client.request({ url: urlOf('hook.example', '/?to=http://inner.example/') });
    await expect(refused).rejects.toThrow(AddressRefusedError);
    expect(proxy.tunnels.every(({ target }) => target.startsWith('127.0.0.1:'))).toBe(true);
  });

  it('receives the host name with resolvesNames, but no forbidden address', async () => {
    const client = clientWith({
      resolver: () => Promise.reject(new Error('nobody here knows')),
      policy: publicAddressesOnly,
      proxy: { url: `http://${proxy.host}`, resolvesNames: true },
    });
    const response = await client.request({ url: urlOf('only-the-proxy-knows.example') });
    expect(response).toMatchObject({ status: 200, address: null });
    expect(proxy.tunnels[0]?.target).toBe(`only-the-proxy-knows.example:${server.port}`);
    await expect(client.request({ url: 'http://10.0.0.1/' })).rejects.toThrow(AddressRefusedError);
    await expect(client.request({ url: 'http://[::ffff:7f00:1]/' })).rejects.toThrow(AddressRefusedError);
  });

  it.each([403, 407, 502])(
    'causes connect_failed before the request is sent when the proxy responds with status %i',
    async (status) => {
      proxy.status = status;
      const request = clientWith().request({ url: urlOf('hook.example') });
      await expect(request).rejects.toMatchObject({ failure: 'connect_failed', address: proxy.host });
      expect(server.connections()).toBe(0);
    },
  );

  it('causes a timeout after connectTimeoutMs when the proxy does not respond', async () => {
    const silent = createTcpServer((socket) => void socket.on('error', () => socket.destroy()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => void silent.close());
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const request = clientWith({ proxy: { url }, connectTimeoutMs: 60 }).request({ url: urlOf('hook.example') });
    await expect(request).rejects.toMatchObject({ failure: 'timeout', phase: 'connect' });
  });

  it('does not reveal its credentials in error messages', async () => {
    proxy.status = 407;
    const client = clientWith({ proxy: { url: `http://me:sesame@${proxy.host}` } });
    const error: unknown = await client.request({ url: urlOf('hook.example') }).catch((reason: unknown) => reason);
    expect(String(error)).toContain('the proxy responded with status 407');
    expect(String(error)).not.toMatch(/sesame|me:/);
  });
});

describe('hosts in noProxy', () => {
  it.each([
    {
      noProxy: ['near.example'],
      direct: ['near.example', 'NEAR.example.'],
      through: ['a.near.example', 'hook.example'],
    },
    { noProxy: ['*.near.example'], direct: ['a.near.example'], through: ['near.example', 'hook.example'] },
    { noProxy: ['127.0.0.0/8'], direct: ['hook.example', '127.0.0.1', '[::ffff:127.0.0.1]'], through: [] },
    { noProxy: ['127.0.0.1'], direct: ['127.0.0.1', 'hook.example'], through: [] },
    { noProxy: ['10.0.0.0/8', 'fd00::/8'], direct: [], through: ['hook.example'] },
  ])('get direct connections: $noProxy', async ({ noProxy, direct, through }) => {
    const client = clientWith({ proxy: { url: `http://${proxy.host}`, noProxy } });
    for (const host of direct) await client.request({ url: urlOf(host) });
    expect(proxy.tunnels).toHaveLength(0);
    for (const host of through) await client.request({ url: urlOf(host) });
    expect(proxy.tunnels).toHaveLength(through.length);
  });

  it('require an address that the address policy allows', async () => {
    const client = clientWith({
      proxy: { url: `http://${proxy.host}`, resolvesNames: true, noProxy: ['inner.example', '10.0.0.0/8'] },
    });
    for (const host of ['inner.example', '10.0.0.1']) {
      await expect(client.request({ url: `http://${host}/` })).rejects.toThrow(AddressRefusedError);
    }
  });
});

describe('invalid proxy settings', () => {
  it.each(['proxy:3128', 'socks5://127.0.0.1:1080', 'http://', 'http://proxy/path', 'http://%zz:x@proxy/', ''])(
    'rejects the proxy URL %s',
    (url) => {
      expect(() => clientWith({ proxy: { url } })).toThrow(RangeError);
    },
  );

  it('rejects an invalid network in noProxy', () => {
    expect(() => clientWith({ proxy: { url: 'http://proxy/', noProxy: ['10.0.0.0/33'] } })).toThrow(RangeError);
  });
});
