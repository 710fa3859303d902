import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { AddressRefusedError } from '@switchboard/outbound';
import { testS3Credentials, startS3Server, type TestS3Server } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ListedS3Object, openConfiguredS3Bucket, S3Bucket, S3Client, S3Error } from '../src/index.js';

let server: TestS3Server;
let bucket: S3Bucket;
const options = () => ({ ...testS3Credentials, endpoint: server.endpoint, bucket: 'files' });

beforeAll(async () => {
  server = await startS3Server();
  bucket = new S3Bucket(options());
});
afterAll(async () => {
  await bucket.close();
  await server.close();
});

async function* source(...pieces: Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

async function read(stream: Readable | null): Promise<Buffer | null> {
  if (stream === null) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

describe('S3Bucket', () => {
  it('writes, reads and removes a small object', async () => {
    const key = "notes/été (1)'!* +~.txt";
    await bucket.write(key, source(Buffer.from('first, '), Buffer.from('second')), 'text/plain');
    expect(await read(await bucket.open(key))).toEqual(Buffer.from('first, second'));
    expect(await read(await bucket.open(key, { start: 2, end: 4 }))).toEqual(Buffer.from('rst'));
    await bucket.remove(key);
    expect(await bucket.open(key)).toBeNull();
    await bucket.remove(key);
    expect(server.refusals).toEqual([]);
  });

  it('reads a whole object, and distinguishes an object from others whose keys begin alike', async () => {
    await bucket.write('notes/a.txt', source(Buffer.from('first')), 'text/plain');
    expect(await bucket.read('notes/a.txt')).toEqual(Buffer.from('first'));
    expect(await bucket.read('notes/a')).toBeNull();
    expect([await bucket.exists('notes/a.txt'), await bucket.exists('notes/a')]).toEqual([true, false]);
    await bucket.remove('notes/a.txt');
    expect(await bucket.exists('notes/a.txt')).toBe(false);
  });

  it('writes a large object in parts and reads it in ranges', async () => {
    const content = randomBytes(6 * 1024 * 1024);
    await bucket.write('large', source(content), 'application/octet-stream');
    expect((await read(await bucket.open('large')))?.equals(content)).toBe(true);
    const part = await read(await bucket.open('large', { start: 5_000_000, end: 5_999_999 }));
    expect(part?.equals(content.subarray(5_000_000, 6_000_000))).toBe(true);
    expect(server.unfinished.size).toBe(0);
  });

  it('fails when an object is removed while it is read', async () => {
    await bucket.write('removed', source(randomBytes(11 * 1024 * 1024)), 'application/octet-stream');
    const stream = await bucket.open('removed');
    await bucket.remove('removed');
    await expect(read(stream)).rejects.toThrow('removed was removed while it was read');
  });

  it('lists objects page by page', async () => {
    const paged = await startS3Server({ pageSize: 2 });
    const other = new S3Bucket({ ...options(), endpoint: paged.endpoint, bucket: 'notes' });
    const keys = ['a/1', 'a/b c', "a/d+é&<'", 'a/e', 'a/f', 'b/1'];
    const startedMs = Date.now();
    for (const key of keys) await other.write(key, source(Buffer.from(key)), 'text/plain');
    const listed: ListedS3Object[] = [];
    for await (const object of other.listObjects('a/')) listed.push(object);
    const expected = keys.slice(0, -1).map((key) => ({ key, size: Buffer.byteLength(key) }));
    expect(listed.toSorted((one, two) => (one.key < two.key ? -1 : 1))).toMatchObject(expected);
    expect(listed.every(({ modifiedMs }) => modifiedMs !== null && modifiedMs >= startedMs)).toBe(true);
    expect(paged.refusals).toEqual([]);
    await other.close();
    await paged.close();
  });

  it('stores nothing when the source fails', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield randomBytes(6 * 1024 * 1024);
      throw new Error('the source broke');
    }
    await expect(bucket.write('broken', failing(), 'text/plain')).rejects.toThrow('the source broke');
    expect(await bucket.open('broken')).toBeNull();
    expect(server.unfinished.size).toBe(0);
  });
});

describe('S3Bucket with a store that lacks features', () => {
  /** Starts an HTTP server whose response depends only on the method of the request. */
  async function respondBy(bodies: Readonly<Record<string, [status: number, body: string]>>): Promise<Server> {
    const started = createServer((request, response) => {
      const [status, body] = bodies[request.method ?? ''] ?? [400, ''];
      request.resume();
      request.on('end', () => response.writeHead(status).end(body));
    }).listen(0, '127.0.0.1');
    await once(started, 'listening');
    return started;
  }

  const open = (started: Server): S3Bucket =>
    new S3Bucket({ ...options(), endpoint: `http://127.0.0.1:${(started.address() as AddressInfo).port}` });

  it('reads a small object, but throws for a later range when the store ignores ranges', async () => {
    const started = await respondBy({ GET: [200, 'content'] });
    const simple = open(started);
    expect(await read(await simple.open('notes'))).toEqual(Buffer.from('content'));
    expect(await read(await simple.open('notes', { start: 0, end: 2 }))).toEqual(Buffer.from('con'));
    await expect(simple.open('notes', { start: 2, end: 4 })).rejects.toThrow('ignored the range');
    await simple.close();
    started.close();
  });

  it.each([
    ['no list', '<html></html>'],
    ['that of an unpaired surrogate', '<ListBucketResult><Contents><Key>&#xD800;</Key></Contents>'],
    [
      'that of a key which is too long',
      `<ListBucketResult><Contents><Key>${'&lt;'.repeat(3000)}</Key></Contents></ListBucketResult>`,
    ],
    [
      'followed by a token that is too long',
      `<ListBucketResult><NextContinuationToken>${'&lt;'.repeat(3000)}</NextContinuationToken>`,
    ],
    ['longer than a page', `<ListBucketResult>${'<Contents>'.repeat(20_000)}`],
    ['malformed', '<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%E0%A4%A</Key></Contents>'],
  ])('throws S3Error if the response with the list of objects is %s', async (_case, body) => {
    const started = await respondBy({ GET: [200, body] });
    const simple = open(started);
    await expect(simple.listObjects().next()).rejects.toThrow(S3Error);
    await simple.close();
    started.close();
  });

  it('lists keys that the store returns without URL encoding', async () => {
    const body =
      '<ListBucketResult><Contents><Key>a&amp;b&#x2b;&#233;%20</Key><Size>3</Size></Contents></ListBucketResult>';
    const started = await respondBy({ GET: [200, body] });
    const simple = open(started);
    expect((await simple.listObjects().next()).value).toEqual({ key: 'a&b+é%20', size: 3, modifiedMs: null });
    await simple.close();
    started.close();
  });

  it('lets the event loop run while a page of keys is decoded', async () => {
    const object = `<Contents><Key>${'&lt;'.repeat(1000)}</Key></Contents>`;
    const started = await respondBy({ GET: [200, `<ListBucketResult>${object.repeat(1000)}</ListBucketResult>`] });
    const simple = open(started);
    const list = simple.listObjects();
    await list.next();
    let rounds = 0;
    let isDone = false;
    const count = (): void => {
      rounds += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    let length = 1;
    for await (const { key } of list) length += Math.min(key.length, 1);
    isDone = true;
    expect([length, rounds >= 40]).toEqual([1000, true]);
    await simple.close();
    started.close();
  });

  it('throws the error of a failed part, even if removing the uploaded parts also fails', async () => {
    const begun = '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>';
    const started = await respondBy({ POST: [200, begun], PUT: [507, 'full'], DELETE: [503, 'away'] });
    const full = open(started);
    const written = full.write('large', source(randomBytes(6 * 1024 * 1024)), 'text/plain');
    await expect(written).rejects.toMatchObject({ status: 507 });
    await full.close();
    started.close();
  });
});

describe('S3Client.request', () => {
  it('connects only to addresses that the options allow', async () => {
    const policy = { allowLoopback: false, allowPrivate: true, allowHosts: [], allowNetworks: [] };
    const strict = new S3Client({ ...options(), outbound: { policy } });
    await expect(strict.request({ method: 'GET', key: 'notes' }, [200])).rejects.toThrow(AddressRefusedError);
    await strict.close();
  });

  it('rejects with the reason of the abort signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const ended = new S3Client({ ...options(), signal });
    await expect(ended.request({ method: 'GET', key: 'notes' }, [200])).rejects.toThrow('enough');
    await ended.close();
  });

  it('throws S3Error with the status of a response that is not expected', async () => {
    const stranger = new S3Client({ ...options(), secretAccessKey: 'another secret' });
    const refused = stranger.request({ method: 'GET', key: 'notes' }, [200]);
    await expect(refused).rejects.toThrow(S3Error);
    await expect(refused).rejects.toMatchObject({ status: 403 });
    await stranger.close();
  });

  it.each(['../other/notes', 'notes/./first', '..'])('throws RangeError for the key %s', async (key) => {
    const client = new S3Client(options());
    await expect(client.request({ method: 'GET', key }, [200])).rejects.toThrow(RangeError);
    await client.close();
  });
});

describe('openConfiguredS3Bucket', () => {
  it('opens the bucket that the variables name, and returns null without a bucket', async () => {
    const values = {
      S3_ENDPOINT: server.endpoint,
      S3_REGION: testS3Credentials.region,
      S3_ACCESS_KEY_ID: testS3Credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: testS3Credentials.secretAccessKey,
    };
    expect(openConfiguredS3Bucket(values, Date.now)).toBeNull();
    const opened = openConfiguredS3Bucket({ ...values, S3_BUCKET: 'files' }, Date.now);
    await opened?.write('configured.txt', source(Buffer.from('text')), 'text/plain');
    expect(server.objects.get('/files/configured.txt')).toEqual(Buffer.from('text'));
    await opened?.close();
  });
});
