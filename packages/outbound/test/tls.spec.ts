import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { TestCertificateAuthority } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectError, OutboundClient, publicAddressesOnly } from '../src/index.js';

const client = new OutboundClient({
  policy: { ...publicAddressesOnly, allowLoopback: true },
  resolver: () => Promise.resolve(['127.0.0.1']),
});
let authority: TestCertificateAuthority;
let ca: string;
let server: Server;
let port = 0;

beforeAll(async () => {
  authority = await TestCertificateAuthority.create();
  ca = authority.cert;
  ({ server, port } = await serve(await authority.issueCertificate(['receiver.example', '127.0.0.1'])));
});

afterAll(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

async function serve(certificate: { cert: string; key: string }): Promise<{ server: Server; port: number }> {
  const started = createServer(certificate, (req, res) => {
    const { servername } = req.socket as TLSSocket & { servername: string | false };
    res.end(JSON.stringify({ servername, host: req.headers.host }));
  });
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return { server: started, port: (started.address() as AddressInfo).port };
}

describe('TLS of the outbound client', () => {
  it('sends the host name of the URL as SNI, and verifies this name on the connection', async () => {
    const response = await client.request({ url: `https://receiver.example:${port}/`, tls: { ca } });
    expect(response.address).toBe('127.0.0.1');
    expect(JSON.parse(response.body.toString())).toEqual({
      servername: 'receiver.example',
      host: `receiver.example:${port}`,
    });
  });

  it('sends no server name for an IP address, and verifies the certificate for the address', async () => {
    const response = await client.request({ url: `https://127.0.0.1:${port}/`, tls: { ca } });
    expect(JSON.parse(response.body.toString())).toMatchObject({ servername: false });
  });

  it('rejects an unknown authority, even if an open connection of another request trusts the authority', async () => {
    await client.request({ url: `https://receiver.example:${port}/`, tls: { ca } });
    const request = client.request({ url: `https://receiver.example:${port}/` });
    await expect(request).rejects.toThrow(ConnectError);
    await expect(request).rejects.toMatchObject({ cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } });
  });

  it('rejects a certificate for another name', async () => {
    const request = client.request({ url: `https://other.example:${port}/`, tls: { ca } });
    await expect(request).rejects.toMatchObject({ cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
  });

  it('accepts any certificate when verification is off', async () => {
    const tls = { rejectUnauthorized: false };
    expect(await client.request({ url: `https://other.example:${port}/`, tls })).toMatchObject({ status: 200 });
  });

  it('rejects an expired certificate, unless verification is off', async () => {
    const expired = await serve(await authority.issueCertificate(['receiver.example'], { expired: true }));
    const url = `https://receiver.example:${expired.port}/`;
    await expect(client.request({ url, tls: { ca } })).rejects.toMatchObject({ cause: { code: 'CERT_HAS_EXPIRED' } });
    expect(await client.request({ url, tls: { rejectUnauthorized: false } })).toMatchObject({ status: 200 });
    expired.server.closeAllConnections();
    expired.server.close();
  });

  it('rejects a certificate when the trusted authority has the same name but another key', async () => {
    const { cert } = await TestCertificateAuthority.create();
    const request = client.request({ url: `https://receiver.example:${port}/`, tls: { ca: cert } });
    await expect(request).rejects.toMatchObject({ failure: 'certificate_refused' });
  });
});
