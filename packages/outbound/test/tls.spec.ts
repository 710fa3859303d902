import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectError, OutboundClient, publicOnly } from '../src/index.js';

const pem = (name: string): string => readFileSync(new URL(`fixtures/${name}.pem`, import.meta.url), 'utf8');
const ca = pem('authority');

const server = createServer({ key: pem('receiver-key'), cert: pem('receiver') }, (req, res) => {
  const { servername } = req.socket as TLSSocket & { servername: string | false };
  res.end(JSON.stringify({ servername, host: req.headers.host }));
});
const client = new OutboundClient({
  policy: { ...publicOnly, allowLoopback: true },
  resolver: () => Promise.resolve(['127.0.0.1']),
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

describe('over TLS', () => {
  it('the pinned address is asked for, and checked, by the name of the URL', async () => {
    const response = await client.request({ url: `https://receiver.example:${port}/`, tls: { ca } });
    expect(response.address).toBe('127.0.0.1');
    expect(JSON.parse(response.body.toString())).toEqual({
      servername: 'receiver.example',
      host: `receiver.example:${port}`,
    });
  });

  it('an address has no server name and is checked against the certificate as an address', async () => {
    const response = await client.request({ url: `https://127.0.0.1:${port}/`, tls: { ca } });
    expect(JSON.parse(response.body.toString())).toMatchObject({ servername: false });
  });

  it('an unknown authority is refused, also when a connection that trusts it is open', async () => {
    await client.request({ url: `https://receiver.example:${port}/`, tls: { ca } });
    const request = client.request({ url: `https://receiver.example:${port}/` });
    await expect(request).rejects.toThrow(ConnectError);
    await expect(request).rejects.toMatchObject({ cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } });
  });

  it('a certificate for another name is refused', async () => {
    const request = client.request({ url: `https://other.example:${port}/`, tls: { ca } });
    await expect(request).rejects.toMatchObject({ cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
  });

  it('any certificate is accepted when verification is off', async () => {
    const tls = { rejectUnauthorized: false };
    expect(await client.request({ url: `https://other.example:${port}/`, tls })).toMatchObject({ status: 200 });
  });
});
