import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ResponseFileStore } from '../src/engine/responses/response-files.js';
import { StoredResponse } from '../src/engine/responses/stored-response.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Page = { count: number | null; next: string | null; results: { id: number; name: string; comments: string }[] };

const sites = '/api/dcim/sites/';
// Text with characters of one to four bytes, so that parts with a fixed number of bytes end inside a character.
const long = 'aé€😀"\n\\'.repeat(30_000);

let test: TestInventory;
/** Path of the folder in which the service creates temporary files for large responses. */
let folder: string;

beforeAll(async () => {
  test = await startInventory({
    MAX_PAGE_SIZE: '0',
    RESPONSE_IN_MEMORY_BYTES: '20000',
    RESPONSE_MAX_BYTES: '1500000',
  });
  folder = test.inventory.config.RESPONSE_FOLDER;
  const names = Array.from({ length: 150 }, (_, index) => `s${String(index).padStart(3, '0')}`);
  await test.api.post(sites, { json: names.map((name) => ({ name, slug: name })) });
  await test.api.post(sites, { json: { name: 'long', slug: 'long', comments: long } });
  await test.inventory.database.query('ANALYZE dcim_site');
});
afterAll(() => test.close());

const storedBytes = () => test.inventory.responses.storedBytes;
const settled = () => expect.poll(storedBytes).toBe(0);

describe('GET of a list that is larger than RESPONSE_IN_MEMORY_BYTES', () => {
  it('returns the same objects as smaller pages from memory', async () => {
    const { body, headers, text } = await test.api.get<Page>(`${sites}?limit=0`);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    const pages = [];
    for (const { id } of body.results)
      pages.push((await test.api.get<Page>(`${sites}?start=${id}&limit=1`)).body.results[0]);
    expect(body.results).toEqual(pages);
    expect([body.count, body.next, body.results.length]).toEqual([151, null, 151]);
    expect(body.results.find(({ name }) => name === 'long')?.comments).toBe(long);
    await settled();
  });

  it.each([
    'limit=120',
    'limit=120&offset=20',
    'start=3&limit=100',
    'start=1&limit=140',
    'limit=90&ordering=-name',
    'limit=100&name__ic=s',
  ])('has the same count, order and page links as a list built in memory: %s', async (query) => {
    const { body } = await test.api.get<Page>(`${sites}?${query}`);
    const brief = await test.api.get<Page>(`${sites}?${query}&fields=id`);
    expect(body.results.map(({ id }) => id)).toEqual(brief.body.results.map(({ id }) => id));
    expect(body.count).toBe(brief.body.count);
    expect(body.next).toBe(brief.body.next?.replace(/(?<=\?)fields=id&|&fields=id/, '') ?? null);
    await settled();
  });

  it('decrypts encrypted texts in long objects', async () => {
    const psks = ['first secret', 'second secret'];
    for (const auth_psk of psks) {
      await test.api.post('/api/wireless/wireless-lans/', { json: { ssid: 'net', auth_psk, comments: long } });
    }
    const { body } = await test.api.get<{ results: { auth_psk: string; comments: string }[] }>(
      '/api/wireless/wireless-lans/',
    );
    expect(body.results.map(({ auth_psk }) => auth_psk)).toEqual(psks);
    expect(body.results.every(({ comments }) => comments === long)).toBe(true);
    await settled();
  });

  it('responds 400 to an unknown value of a filter and deletes the temporary file', async () => {
    const { status, body } = await test.api.get(`${sites}?limit=0&tenant=none`);
    expect([status, body]).toEqual([
      400,
      { tenant: ['Select a valid choice. none is not one of the available choices.'] },
    ]);
    await settled();
  });

  it('responds to HEAD without a length and writes no temporary file', async () => {
    const spy = vi.spyOn(test.inventory.responses, 'openFile');
    const head = async (path: string) => {
      const headers = { authorization: `Bearer ${test.adminToken}` };
      const { statusCode, headers: sent, body } = await test.fastify.inject({ method: 'HEAD', url: path, headers });
      return [statusCode, sent['content-type'], sent['content-length'], body];
    };
    const { body } = await test.api.get<Page>(`${sites}?name=long&fields=id`);
    const json = 'application/json; charset=utf-8';
    expect(await head(`${sites}?limit=0`)).toEqual([200, json, undefined, '']);
    expect(await head(`${sites}${body.results[0]?.id ?? 0}/`)).toEqual([200, json, undefined, '']);
    expect(spy).not.toHaveBeenCalled();
    const { text } = await test.api.get(`${sites}?name=s001`);
    expect(await head(`${sites}?name=s001`)).toEqual([200, json, String(Buffer.byteLength(text)), '']);
    expect((await head(`${sites}?limit=0&tenant=none`))[0]).toBe(400);
    spy.mockRestore();
  });

  it('responds 400 to a browser in place of an HTML page', async () => {
    const { status, body } = await test.api.get<{ detail: string }>(`${sites}?limit=0&format=api`, { unchecked: true });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('larger than 20000 bytes')]);
    await settled();
  });

  it('deletes the temporary file when the client disconnects', async () => {
    await test.fastify.listen({ port: 0, host: '127.0.0.1' });
    const { port } = test.fastify.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    const begun = new Promise((resolve) => socket.once('data', resolve));
    socket.write(`GET ${sites}?limit=0 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${test.adminToken}\r\n\r\n`);
    await begun;
    socket.destroy();
    await settled();
  });

  it('repeats no object in the response when an SQL statement fails halfway and is retried', async () => {
    const prefixes = Array.from({ length: 150 }, (_, index) => ({ prefix: `10.${index}.0.0/16` }));
    expect((await test.api.post('/api/ipam/prefixes/', { json: prefixes })).status).toBe(201);
    // Fails once. The advisory lock of the session is still there at the second attempt, because it does not end with
    // the transaction.
    await test.inventory.database.query(`CREATE OR REPLACE FUNCTION ipam_last_address(network CIDR) RETURNS inet
      LANGUAGE plpgsql AS $$ BEGIN
        IF network = '10.140.0.0/16' AND NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711) THEN
          PERFORM pg_advisory_lock(4711);
          RAISE serialization_failure;
        END IF;
        RETURN set_masklen(broadcast(network), 32);
      END $$`);
    expect((await test.api.get('/api/ipam/prefixes/?limit=0')).status).toBe(503);
    await settled();
    const { body } = await test.api.get<Page>('/api/ipam/prefixes/?limit=0');
    expect(new Set(body.results.map(({ id }) => id)).size).toBe(150);
    expect(body.results).toHaveLength(150);
  });

  it('leaves no visible file in the folder of temporary files', async () => {
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('GET of free addresses that take more than RESPONSE_IN_MEMORY_BYTES', () => {
  it('returns all addresses from a temporary file, and responds 400 above RESPONSE_MAX_BYTES', async () => {
    const { body: prefix } = await test.api.post<{ id: number }>('/api/ipam/prefixes/', {
      json: { prefix: '172.16.0.0/14' },
    });
    const path = `/api/ipam/prefixes/${prefix.id}/available-ips/`;
    const spy = vi.spyOn(test.inventory.responses, 'openFile');
    const { body } = await test.api.get<{ address: string }[]>(`${path}?limit=2500`);
    expect([body.length, body[0]?.address, body[2499]?.address]).toEqual([2500, '172.16.0.1/14', '172.16.9.196/14']);
    expect(spy).toHaveBeenCalledTimes(1);
    await settled();
    const headers = { authorization: `Bearer ${test.adminToken}` };
    const head = await test.fastify.inject({ method: 'HEAD', url: `${path}?limit=2500`, headers });
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, undefined, '']);
    expect(spy).toHaveBeenCalledTimes(1);
    spy.mockRestore();
    expect((await test.api.get(`${path}?limit=0`)).status).toBe(400);
    await settled();
  });
});

describe('GET of an object that is larger than RESPONSE_IN_MEMORY_BYTES', () => {
  it('returns the complete object with its ETag', async () => {
    const { body: found } = await test.api.get<Page>(`${sites}?name=long&fields=id`);
    const { body, headers } = await test.api.get<{ comments: string }>(`${sites}${found.results[0]?.id ?? 0}/`);
    expect(body.comments).toBe(long);
    expect(headers['etag']).toMatch(/^W\//);
    await settled();
  });
});

describe('GET of a list that is larger than RESPONSE_MAX_BYTES', () => {
  it('responds 400 with advice to request pages, and deletes the temporary file', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `long ${index}`);
    const tags = names.map((name, index) => ({ name, slug: `long-${index}`, object_types: [], description: '' }));
    expect((await test.api.post('/api/extras/tags/', { json: tags })).status).toBe(201);
    for (const name of names)
      await test.api.post('/api/dcim/regions/', { json: { name, slug: name.replace(' ', '-'), comments: long } });
    const refused = await test.api.get<{ detail: string }>('/api/dcim/regions/');
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      expect.stringMatching(/larger than 1500000 bytes.*`limit`.*`next`/s),
    ]);
    await settled();
    expect((await test.api.get<Page>('/api/dcim/regions/?limit=2')).body.results).toHaveLength(2);
    expect((await test.api.get<Page>('/api/dcim/regions/?brief=true')).body.results).toHaveLength(6);
  });
});

describe('RESPONSE_FOLDER', () => {
  it('causes 503 for large responses when the folder is not writable, while small responses succeed', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    const headers = { authorization: `Bearer ${test.adminToken}` };
    const refused = await test.fastify.inject({ url: `${sites}?limit=0`, headers });
    expect([refused.statusCode, refused.json()]).toEqual([
      503,
      { detail: expect.stringContaining('Ask for fewer objects') },
    ]);
    expect((await test.api.get<Page>(`${sites}?limit=5&brief=true`)).status).toBe(200);
    await rm(folder);
  });

  it('retains files of other programs when the service cleans the folder at startup', async () => {
    await mkdir(`${folder}/folder`, { recursive: true });
    for (const name of ['inventory-response-left', 'of-others']) await writeFile(`${folder}/${name}`, 'x');
    await test.inventory.responses.removeLeftoverFiles();
    expect((await readdir(folder)).toSorted()).toEqual(['folder', 'of-others']);
  });
});

describe('ResponseFileStore', () => {
  const filesWith = (limits: { files: number; sendMs: number }): ResponseFileStore =>
    new ResponseFileStore(folder, { largest: 10_000_000, inMemory: 10, ...limits }, { error: () => undefined });
  const store = async (files: ResponseFileStore): Promise<StoredResponse> => {
    const writer = files.createResponseWriter();
    await writer.write(Buffer.alloc(1_000_000));
    const stored = await writer.finishAsBytes();
    if (!(stored instanceof StoredResponse)) throw new Error('The response is in memory');
    return stored;
  };

  it('rejects another file at the limit of open files until a file is closed', async () => {
    const files = filesWith({ files: 2, sendMs: 60_000 });
    const [first, second] = [await store(files), await store(files)];
    await expect(store(files)).rejects.toMatchObject({ code: 'RESPONSE_NOT_STORED' });
    await first.close();
    const third = await store(files);
    await Promise.all([second.close(), third.close()]);
    expect(files.storedBytes).toBe(0);
  });

  it('aborts a response that the client does not read in time, and closes the file of the response', async () => {
    const files = filesWith({ files: 1, sendMs: 20 });
    const stream = (await store(files)).createByteStream();
    await expect(once(stream, 'close')).rejects.toThrow('was not read within 20 ms');
    await expect.poll(() => files.storedBytes).toBe(0);
    await (await store(files)).close();
  });
});
