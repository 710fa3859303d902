import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { testS3Credentials, startS3Server, type TestS3Server } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { removeExpiredUploads } from './index.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let s3: TestS3Server;

beforeAll(async () => {
  [cluster, s3] = await Promise.all([chatCluster(), startS3Server()]);
  chat = await cluster.start({ RESUMABLE_UPLOADS_PER_USER: '3' });
  [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
});
afterAll(async () => {
  await cluster.stop();
  await s3.close();
});

type Method = 'POST' | 'PATCH' | 'HEAD' | 'DELETE';
type Headers = Record<string, string>;

const tus = { 'tus-resumable': '1.0.0' };
const bytes = { ...tus, 'content-type': 'application/offset+octet-stream' };
const metadata = (name: string, type: string) =>
  `filename ${Buffer.from(name).toString('base64')},filetype ${Buffer.from(type).toString('base64')}`;

/** Sends a request without the usual test client, because the test client does not support binary bodies. */
async function send(
  method: Method,
  url: string,
  headers: Headers,
  payload?: Buffer | Readable,
  user = hamlet,
  process = chat,
) {
  const authorization = createBasicAuthorization(user.email, user.apiKey);
  const options = { method, url, headers: { ...authorization, ...headers }, ...(payload && { payload }) };
  const response = await process.app.getHttpAdapter().getInstance().inject(options);
  const body = response.payload.startsWith('{') ? response.json<Record<string, unknown>>() : null;
  return { status: response.statusCode, headers: response.headers, body };
}

async function create(size: number, name = 'notes.txt', type = 'text/plain', user = hamlet, process = chat) {
  const headers = { ...tus, 'upload-length': String(size), 'upload-metadata': metadata(name, type) };
  const created = await send('POST', '/api/v1/tus/', headers, undefined, user, process);
  return { ...created, location: String(created.headers['location']) };
}

const append = (url: string, offset: number, payload: Buffer, process = chat) =>
  send('PATCH', url, { ...bytes, 'upload-offset': String(offset) }, payload, hamlet, process);
const offsetOf = async (url: string, process = chat) =>
  Number((await send('HEAD', url, tus, undefined, hamlet, process)).headers['upload-offset']);
const usedSpace = async () =>
  (await hamlet.client.get<{ upload_space_used: number }>('/api/v1/attachments')).body.upload_space_used;
const load = async (url: unknown, process = chat) => {
  const headers = createBasicAuthorization(hamlet.email, hamlet.apiKey);
  return (
    await process.app
      .getHttpAdapter()
      .getInstance()
      .inject({ url: String(url), headers })
  ).rawPayload;
};

describe('POST /tus', () => {
  it('creates an upload with URL and expiry whose size counts towards the quota', async () => {
    const before = await usedSpace();
    const { status, headers, location } = await create(1000);
    expect(status).toBe(201);
    expect(location).toMatch(/^\/api\/v1\/tus\/[\w-]{32}$/);
    expect(headers['tus-resumable']).toBe('1.0.0');
    expect(Date.parse(String(headers['upload-expires']))).toBeGreaterThan(Date.now());
    expect(await usedSpace()).toBe(before + 1000);
    expect((await send('DELETE', location, tus)).status).toBe(204);
    expect(await usedSpace()).toBe(before);
    expect((await send('HEAD', location, tus)).status).toBe(404);
  });

  it('completes an upload when the request that creates the upload contains all bytes', async () => {
    const content = Buffer.from('all at the beginning');
    const headers = { ...bytes, 'upload-length': String(content.length), 'upload-metadata': metadata('a.txt', '') };
    const { status, body } = await send('POST', '/api/v1/tus', headers, content);
    expect({ status, body }).toMatchObject({ status: 200, body: { filename: 'a.txt' } });
    expect(await load(body?.['url'])).toEqual(content);
  });

  it.each<[string, Headers, number, string]>([
    ['no size', tus, 400, 'Upload-Length or Upload-Defer-Length header required'],
    ['a size of 0', { ...tus, 'upload-length': '0' }, 400, 'You must specify a file to upload'],
    ['a size that is no number', { ...tus, 'upload-length': 'all' }, 400, 'Invalid upload-length'],
    ['a size above the limit', { ...tus, 'upload-length': '26214401' }, 413, 'allowed limit of 25 MiB'],
    ['a size to be named later', { ...tus, 'upload-defer-length': '1' }, 411, 'SizeIsDeferred'],
    [
      'malformed metadata',
      { ...tus, 'upload-length': '1', 'upload-metadata': 'a b c' },
      400,
      'Invalid upload-metadata',
    ],
    ['another version', { 'tus-resumable': '0.2.1', 'upload-length': '1' }, 400, 'Invalid tus-resumable'],
    ['no version', { 'upload-length': '1' }, 412, 'Tus-Resumable Required'],
  ])('rejects an invalid upload: %s', async (_name, headers, status, msg) => {
    const refused = await send('POST', '/api/v1/tus', headers);
    expect(refused.status).toBe(status);
    expect(String(refused.body?.['msg'])).toContain(msg);
  });

  it('rejects requests without credentials', async () => {
    const { statusCode } = await chat.app.getHttpAdapter().getInstance().inject({ method: 'POST', url: '/api/v1/tus' });
    expect(statusCode).toBe(401);
  });

  it('rejects more unfinished uploads than the limit, and a size above the quota', async () => {
    const urls = [];
    for (let n = 0; n < 3; n++) urls.push((await create(10, 'a', 'b', iago)).location);
    expect((await create(10, 'a', 'b', iago)).body).toMatchObject({ msg: 'You may have at most 3 unfinished uploads' });
    for (const url of urls) expect((await send('DELETE', url, tus, undefined, iago)).status).toBe(204);
    const set = (value: unknown) =>
      chat.runtime.database.query(`UPDATE realms SET settings = settings || $1`, [{ upload_quota_mib: value }]);
    await set(1);
    expect(await create(2 * 1024 * 1024)).toMatchObject({ status: 413, body: { code: 'REALM_UPLOAD_QUOTA' } });
    await set(null);
  });
});

describe.each(['disk', 's3'])('PATCH /tus/{id} with files on %s', (storage) => {
  let first: ChatProcess;
  let second: ChatProcess;
  const env = () =>
    storage === 'disk'
      ? {}
      : {
          S3_ENDPOINT: s3.endpoint,
          S3_BUCKET: 'files',
          S3_REGION: testS3Credentials.region,
          S3_ACCESS_KEY_ID: testS3Credentials.accessKeyId,
          S3_SECRET_ACCESS_KEY: testS3Credentials.secretAccessKey,
        };
  beforeAll(async () => {
    [first, second] = await Promise.all([cluster.start(env()), cluster.start(env())]);
  });

  it('continues an upload in another process, and creates an attachment once', async () => {
    const content = randomBytes(3_500_000);
    const before = await usedSpace();
    const queue = await openTestEventQueue(chat, hamlet, ['attachment']);
    const { location } = await create(content.length, 'big file.bin', 'application/zip', hamlet, first);
    expect((await append(location, 0, content.subarray(0, 1_700_000), first)).headers['upload-offset']).toBe('1700000');
    expect(await offsetOf(location, second)).toBe(1_700_000);
    expect((await append(location, 0, content, second)).status).toBe(409);
    const { status, body } = await append(location, 1_700_000, content.subarray(1_700_000), second);
    expect({ status, body }).toEqual({ status: 200, body: { url: expect.any(String), filename: 'big-file.bin' } });
    expect((await load(body?.['url'], second)).equals(content)).toBe(true);
    expect(await usedSpace()).toBe(before + content.length);
    expect(await queue.read()).toMatchObject([
      { op: 'add', attachment: { name: 'big-file.bin', size: content.length } },
    ]);
    // A client that did not get the last response repeats it without bytes.
    expect((await append(location, content.length, Buffer.alloc(0), first)).body).toEqual(body);
    expect(await queue.read()).toEqual([]);
    const { rows } = await chat.runtime.database.query('SELECT FROM resumable_upload_parts WHERE upload_id = $1', [
      location.split('/').at(-1),
    ]);
    expect(rows).toEqual([]);
  });

  it('stores the received bytes of an interrupted request', async () => {
    const content = randomBytes(2_500_000);
    const { location } = await create(content.length, 'a.bin', 'application/zip', hamlet, first);
    const server = first.app.getHttpServer();
    if (!server.listening) await first.app.listen(0, '127.0.0.1');
    const { port } = server.address() as AddressInfo;
    const headers = { ...createBasicAuthorization(hamlet.email, hamlet.apiKey), ...bytes, 'upload-offset': '0' };
    const broken = httpRequest({ port, path: location, method: 'PATCH', headers });
    broken.on('error', () => undefined);
    const closed = new Promise((resolve) => broken.once('close', resolve));
    broken.write(content.subarray(0, 1_500_000));
    await expect.poll(() => offsetInTable(location), { timeout: 10_000 }).toBeGreaterThanOrEqual(1024 * 1024);
    // The state of the upload is returned while a request sends bytes.
    expect(await offsetOf(location, first)).toBe(1024 * 1024);
    broken.destroy();
    await closed;
    await expect.poll(() => offsetInTable(location), { timeout: 10_000 }).toBe(1_500_000);
    const { body } = await append(location, 1_500_000, content.subarray(1_500_000), second);
    expect((await load(body?.['url'], second)).equals(content)).toBe(true);
  });

  async function offsetInTable(location: string): Promise<number> {
    const { rows } = await chat.runtime.database.query<{ received: number }>(
      'SELECT received FROM resumable_uploads WHERE id = $1',
      [location.split('/').at(-1)],
    );
    return rows[0]?.received ?? -1;
  }

  /** Creates an upload whose bytes are all stored but whose parts are not joined, like after a crash. */
  async function receivedUpload(content: Buffer) {
    const { location } = await create(content.length, 'a.bin', 'application/zip', hamlet, first);
    await append(location, 0, content.subarray(0, 9), first);
    const id = location.split('/').at(-1) ?? '';
    const key = `resumable/${id}/9-rest`;
    await first.runtime.files.storage.write(key, [content.subarray(9)] as never, 'application/octet-stream');
    await chat.runtime.database.query('UPDATE resumable_uploads SET received = 10 WHERE id = $1', [id]);
    await chat.runtime.database.query('INSERT INTO resumable_upload_parts VALUES ($1, 9, $2)', [id, key]);
    return { location, id, key };
  }

  it('completes an upload when the process that received all bytes was killed', async () => {
    const content = randomBytes(10);
    const { location, id } = await receivedUpload(content);
    expect(await offsetOf(location, second)).toBe(10);
    const { rows } = await chat.runtime.database.query<{ path_id: string }>(
      'SELECT a.path_id FROM attachments a JOIN resumable_uploads r ON r.path_id = a.path_id WHERE r.id = $1',
      [id],
    );
    expect(await load(`/user_uploads/${rows[0]?.path_id}`, second)).toEqual(content);
  });

  it('assembles the file of an upload once for concurrent requests to one process', async () => {
    const { location } = await receivedUpload(randomBytes(10));
    const write = vi.spyOn(first.runtime.files.storage, 'write');
    try {
      expect(await Promise.all([1, 2, 3].map(() => offsetOf(location, first)))).toEqual([10, 10, 10]);
      expect(write).toHaveBeenCalledTimes(1);
    } finally {
      write.mockRestore();
    }
  });

  it('returns the offset of an upload that another process completes, and 404 for a deleted upload', async () => {
    const files = first.runtime.files.storage;
    const open = files.open.bind(files);
    const spied = vi.spyOn(files, 'open');
    try {
      const finished = await receivedUpload(randomBytes(10));
      spied.mockImplementationOnce(async (key) => {
        await offsetOf(finished.location, second);
        return open(key);
      });
      expect(await offsetOf(finished.location, first)).toBe(10);
      const removed = await receivedUpload(randomBytes(10));
      spied.mockImplementationOnce(async () => {
        await chat.runtime.database.query('DELETE FROM resumable_upload_parts WHERE upload_id = $1', [removed.id]);
        await chat.runtime.database.query('DELETE FROM resumable_uploads WHERE id = $1', [removed.id]);
        return null;
      });
      expect((await send('HEAD', removed.location, tus, undefined, hamlet, first)).status).toBe(404);
    } finally {
      spied.mockRestore();
    }
  });
});

describe('HEAD, PATCH and DELETE /tus/{id}', () => {
  it.each(['nothing', 'a%00b'])('respond 404 for an upload that does not exist: %s', async (id) => {
    const url = `/api/v1/tus/${id}`;
    expect((await send('HEAD', url, tus)).status).toBe(404);
    expect((await send('DELETE', url, tus)).status).toBe(404);
    expect((await append(url, 0, Buffer.from('x'))).status).toBe(404);
  });
});

describe('PATCH /tus/{id}', () => {
  it('rejects requests of other users, a missing offset, and more bytes than the declared size', async () => {
    const { location } = await create(10);
    for (const method of ['HEAD', 'DELETE'] as const) {
      expect((await send(method, location, tus, undefined, iago)).status).toBe(404);
    }
    const headers = { ...bytes, 'upload-offset': '0' };
    expect((await send('PATCH', location, headers, Buffer.from('stolen'), iago)).status).toBe(404);
    expect((await send('PATCH', location, bytes, Buffer.from('x'))).status).toBe(403);
    expect((await append(location, 0, Buffer.alloc(11))).status).toBe(413);
    const chunked = { ...headers, 'transfer-encoding': 'chunked' };
    expect(await send('PATCH', location, chunked, Readable.from([Buffer.alloc(11)]))).toMatchObject({
      status: 413,
      body: { result: 'error', code: 'BAD_REQUEST', msg: 'Maximum size exceeded' },
    });
    expect(await offsetOf(location)).toBe(0);
    expect((await send('DELETE', location, tus)).status).toBe(204);
  });

  it('rejects a further part when the upload already consists of too many small parts', async () => {
    const { location } = await create(2000);
    const id = location.split('/').at(-1);
    await chat.runtime.database.query('UPDATE resumable_uploads SET received = 999 WHERE id = $1', [id]);
    await chat.runtime.database.query(
      `INSERT INTO resumable_upload_parts SELECT $1, n, 'resumable/' || $1 || '/' || n FROM generate_series(0, 998) n`,
      [id],
    );
    expect((await append(location, 999, Buffer.alloc(1))).status).toBe(204);
    expect(await append(location, 1000, Buffer.alloc(1))).toMatchObject({
      status: 400,
      body: { msg: 'The upload consists of too many small parts' },
    });
    expect((await send('DELETE', location, tus)).status).toBe(204);
    expect((await chat.runtime.database.query('SELECT FROM doomed_files WHERE key LIKE $1', [`%${id}%`])).rows).toEqual(
      [],
    );
  });

  it('accepts a browser session with its CSRF token', async () => {
    const { headers } = await chat.client.post('/api/v1/dev_fetch_api_key', { query: { username: hamlet.email } });
    const cookie = [headers['set-cookie'] ?? []]
      .flat()
      .map((line) => String(line).split(';', 1)[0])
      .join('; ');
    const token = /csrftoken=(\w+)/.exec(cookie)?.[1] ?? '';
    const begin = (own: Headers) =>
      chat.app
        .getHttpAdapter()
        .getInstance()
        .inject({
          method: 'POST',
          url: '/json/tus',
          headers: { cookie, ...tus, 'upload-length': '1', ...own },
        });
    expect((await begin({})).statusCode).toBe(403);
    const created = await begin({ 'x-csrftoken': token });
    expect(created.statusCode).toBe(201);
    expect(created.headers['location']).toMatch(/^\/json\/tus\//);
  });
});

describe('removeExpiredUploads', () => {
  it('removes unfinished uploads and their parts, and subtracts the upload sizes from the used quota', async () => {
    const { database, files } = chat.runtime;
    const before = await usedSpace();
    const { location } = await create(5);
    await append(location, 0, Buffer.from('abc'));
    await database.query("UPDATE resumable_uploads SET created_at = now() - interval '25 hours' WHERE size = 5");
    expect((await send('HEAD', location, tus)).status).toBe(404);
    const ledger = new StoredFileDeletionSchedule(database, files.storage);
    await removeExpiredUploads({ database, files: ledger, hours: 24 }, new AbortController().signal);
    expect(await usedSpace()).toBe(before);
    expect((await database.query('SELECT FROM resumable_uploads WHERE size = 5')).rows).toEqual([]);
  });

  it('deletes all other expired uploads when the deletion of one upload fails', async () => {
    const { database, files } = chat.runtime;
    const [failing, other] = [await create(5), await create(5)];
    for (const { location } of [failing, other]) await append(location, 0, Buffer.from('abc'));
    await database.query("UPDATE resumable_uploads SET created_at = now() - interval '25 hours' WHERE size = 5");
    const ledger = new StoredFileDeletionSchedule(database, files.storage);
    const id = failing.location.split('/').at(-1) ?? '';
    const schedule = vi.spyOn(ledger, 'scheduleDeletion');
    const original = StoredFileDeletionSchedule.prototype.scheduleDeletion.bind(ledger);
    schedule.mockImplementation((tx, keys) =>
      keys.some((key) => key.includes(id)) ? Promise.reject(new Error('No deletion')) : original(tx, keys),
    );
    const tools = { database, files: ledger, hours: 24 };
    await expect(removeExpiredUploads(tools, new AbortController().signal)).rejects.toThrow('No deletion');
    expect((await database.query('SELECT id FROM resumable_uploads WHERE size = 5')).rows).toEqual([{ id }]);
    schedule.mockRestore();
    await removeExpiredUploads(tools, new AbortController().signal);
  });
});
