import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

const sites = '/api/dcim/sites/';
const databaseConnections = 2;

/**
 * Number of sites with a comment of a megabyte. Together, the comments are larger than the buffers of a TCP connection,
 * so that the service cannot send the whole response to a client that does not read.
 */
const siteCount = 20;

let test: TestInventory;
const sockets: Socket[] = [];
beforeAll(async () => {
  test = await startInventory({
    DATABASE_POOL_SIZE: String(databaseConnections),
    MAX_PAGE_SIZE: '0',
    RESPONSE_IN_MEMORY_BYTES: '20000',
  });
  await test.inventory.database.query(
    `INSERT INTO dcim_site (name, slug, comments)
      SELECT 'Site ' || n, 'site-' || n, repeat('x', 1000000) FROM generate_series(1, $1::int) n`,
    [siteCount],
  );
  await test.fastify.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await test.close();
});

/** Requests the list of all sites, and waits until the response begins. The client then reads nothing more. */
async function beginToRead(): Promise<Socket> {
  const { port } = test.fastify.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const begun = new Promise((resolve, reject) => socket.once('readable', resolve).once('error', reject));
  socket.write(
    `GET ${sites}?limit=0 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${test.adminToken}\r\nconnection: close\r\n\r\n`,
  );
  await begun;
  return socket;
}

describe('GET of a large list by clients that do not read the response', () => {
  it('uses no database connection until the clients have read the response', async () => {
    const readers: Socket[] = [];
    for (let n = 0; n <= databaseConnections; n += 1) readers.push(await beginToRead());
    const { responses } = test.inventory;
    const storedBytes = responses.storedBytes;
    // Each response is still in its file.
    expect(storedBytes).toBeGreaterThan(readers.length * siteCount * 1_000_000);
    expect((await test.api.post(sites, { json: { name: 'New', slug: 'new' } })).status).toBe(201);
    expect((await test.api.get(`${sites}?name=New`)).status).toBe(200);
    expect(responses.storedBytes).toBe(storedBytes);
    const received = await text(readers[0]!);
    const { results } = JSON.parse(received.slice(received.indexOf('\r\n\r\n'))) as { results: unknown[] };
    expect(results).toHaveLength(siteCount);
    for (const socket of readers) socket.destroy();
    await expect.poll(() => responses.storedBytes).toBe(0);
  });
});
