import { Agent, request as httpRequest } from 'node:http';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { FakeClock, listenOnFreePort, type ListeningTestService } from '@switchboard/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { toDocumentedPath, multipart, picture, upload } from '../../../test/upload-forms.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, cordelia] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'cordelia'),
  ]);
});
afterAll(() => cluster.stop());

interface Attachments {
  attachments: { id: number; name: string; path_id: string; size: number; create_time: number; messages: object[] }[];
  upload_space_used: number;
}

async function attachments(user: DemoUser): Promise<Attachments> {
  return (await user.client.get<Attachments>('/api/v1/attachments')).body;
}

async function storedFiles(): Promise<string[]> {
  const entries = await readdir(chat.runtime.config.UPLOADS_DIR, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('POST /user_uploads', () => {
  it('stores a file for its owner, and emits an event', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['attachment']);
    const before = await attachments(hamlet);
    const { url, uri, filename } = await upload(hamlet.client, { name: 'my notes.txt', content: 'To be' });
    expect(filename).toBe('my-notes.txt');
    expect(url).toMatch(/^\/user_uploads\/\d+\/[0-9a-f]{2}\/[\w-]{24}\/my-notes\.txt$/);
    expect(uri).toBe(url);
    const [newest] = (await attachments(hamlet)).attachments;
    expect(newest).toEqual({
      id: expect.any(Number),
      name: 'my-notes.txt',
      path_id: url.replace('/user_uploads/', ''),
      size: 5,
      create_time: expect.any(Number),
      messages: [],
      message_ids: [],
    });
    expect(Math.abs((newest?.create_time ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await queue.read()).toEqual([
      { type: 'attachment', op: 'add', attachment: newest, upload_space_used: before.upload_space_used + 5 },
    ]);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\photos\\été.png', 'été.png'],
    ['a<b>"c".txt', 'abc.txt'],
    ['...', 'uploaded-file'],
    ['.htaccess', 'htaccess'],
    ['報告 書.pdf', '報告-書.pdf'],
  ])('stores the file name %s as %s', async (name, filename) => {
    const sent = await upload(hamlet.client, { name: name.replaceAll('"', ''), content: 'x' });
    expect(sent.filename).toBe(filename);
    expect(decodeURIComponent(sent.url).endsWith(`/${filename}`)).toBe(true);
  });

  it('stores the first file of the request, whatever the name of the form field', async () => {
    const body = multipart([
      { name: 'a.txt', content: 'a', field: 'FILE' },
      { name: 'b.txt', content: 'b' },
    ]);
    const response = await hamlet.client.post<{ filename: string }>('/api/v1/user_uploads', body);
    expect(response.body.filename).toBe('a.txt');
  });

  it.each([
    ['no body', {}],
    ['a form', { form: {} }],
    [
      'a multipart body of nothing but its end',
      { payload: '--b--\r\n', headers: { 'content-type': 'multipart/form-data; boundary=b' } },
    ],
    ['an empty file', multipart([{ name: 'empty.txt', content: '' }])],
  ])('rejects an invalid upload: %s', async (_name, body) => {
    const { body: response } = await hamlet.client.post('/api/v1/user_uploads', body);
    expect(response).toMatchObject({ code: 'BAD_REQUEST', msg: 'You must specify a file to upload' });
  });

  it('stores nothing of truncated or oversized files', async () => {
    const before = [await storedFiles(), await attachments(hamlet)];
    const { payload, headers } = multipart([{ name: 'half.txt', content: 'x'.repeat(1000) }]);
    const half = await hamlet.client.post('/api/v1/user_uploads', { payload: payload.subarray(0, 500), headers });
    expect(half.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Malformed form data' });
    const large = await upload(hamlet.client, { name: 'large.bin', content: Buffer.alloc(25 * 1024 * 1024 + 1) });
    expect(large).toMatchObject({ msg: 'Uploaded file is larger than the allowed limit of 25 MiB' });
    expect([await storedFiles(), await attachments(hamlet)]).toEqual(before);
  });

  it('reads no bytes of the file when credentials are missing', async () => {
    const { status } = await chat.client.post('/api/v1/user_uploads', multipart([{ name: 'a.txt', content: 'a' }]));
    expect(status).toBe(401);
  });

  it('enforces the quota of the organization for concurrent uploads', async () => {
    const { upload_space_used: used } = await attachments(iago);
    await setQuota(Math.ceil(used / 1024 / 1024) + 1);
    const files = Array.from({ length: 5 }, (_, index) => ({ name: `${index}.bin`, content: Buffer.alloc(700_000) }));
    const responses = await Promise.all(files.map((file) => upload(iago.client, file)));
    const refused = responses.filter(({ code }) => code === 'REALM_UPLOAD_QUOTA');
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect((await attachments(iago)).upload_space_used).toBe(used + 700_000 * (5 - refused.length));
    await setQuota(null);
  });
});

describe('GET /user_uploads/{file}', () => {
  it('returns the file unchanged, and responds 404 to users other than its owner', async () => {
    const { url } = await upload(hamlet.client, { name: 'a.txt', type: 'text/plain', content: 'Grüße' });
    const mine = await hamlet.client.get(toDocumentedPath(url));
    expect(mine).toMatchObject({ status: 200, text: 'Grüße' });
    expect(mine.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': "inline; filename*=UTF-8''a.txt",
      'x-content-type-options': 'nosniff',
    });
    const missing = await cordelia.client.get(toDocumentedPath(url).replace('a.txt', 'b.txt'));
    const hidden = await cordelia.client.get(toDocumentedPath(url));
    expect(hidden).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(missing.body).toEqual(hidden.body);
    expect((await chat.client.get(toDocumentedPath(url))).status).toBe(401);
  });

  it('accepts an api_key parameter and escaped slashes', async () => {
    const { url } = await upload(hamlet.client, { name: 'a b.txt', content: 'x' });
    expect((await chat.client.get(toDocumentedPath(url), { query: { api_key: hamlet.apiKey } })).text).toBe('x');
    expect((await chat.client.get(toDocumentedPath(url), { query: { api_key: 'wrong' } })).status).toBe(401);
    expect((await hamlet.client.get(url, { unchecked: true })).text).toBe('x');
    expect((await hamlet.client.get(`/api/v1${url}`, { unchecked: true })).status).toBe(200);
  });

  it.each([
    ['page.html', 'text/html', 'attachment'],
    ['drawing.svg', 'image/svg+xml', 'attachment'],
    ['clip.mp4', 'video/mp4', 'inline'],
    ['unknown', 'application/octet-stream', 'attachment'],
  ])('serves %s with headers that prevent a browser from executing the file', async (name, type, disposition) => {
    const { url } = await upload(hamlet.client, { name, type, content: '<script>alert(1)</script>' });
    const { headers } = await hamlet.client.get(toDocumentedPath(url));
    expect(String(headers['content-disposition'])).toMatch(new RegExp(`^${disposition};`));
    expect(String(headers['content-security-policy'])).toMatch(/^default-src 'none'/);
    const saved = await hamlet.client.get(toDocumentedPath(url), { query: { download: true } });
    expect(String(saved.headers['content-disposition'])).toMatch(/^attachment;/);
  });

  it.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=8-100', '89', 'bytes 8-9/10'],
  ])('returns the requested range: %s', async (range, text, contentRange) => {
    const { url } = await upload(hamlet.client, { name: 'clip.webm', content: '0123456789' });
    const part = await hamlet.client.get(toDocumentedPath(url), { headers: { range } });
    expect(part).toMatchObject({ status: 206, text, headers: { 'content-range': contentRange } });
    const whole = await hamlet.client.get(toDocumentedPath(url), { headers: { range: 'bytes=20-' } });
    expect(whole).toMatchObject({ status: 200, text: '0123456789' });
  });

  it('returns a temporary URL that works for a minute without credentials', async () => {
    const clock = new FakeClock(Date.now());
    const other = await cluster.start({}, clock);
    const { url } = await upload(hamlet.client, { name: 'été.txt', content: 'x' });
    const { body } = await hamlet.client.get<{ url: string }>(`/api/v1${toDocumentedPath(url)}`);
    expect(body.url).toMatch(/^\/user_uploads\/temporary\/[\w.-]+\/%C3%A9t%C3%A9\.txt$/);
    expect((await other.client.get(body.url)).text).toBe('x');
    // The link was created at the real time, which has since advanced by seconds only.
    await clock.advanceTime(600_000);
    expect((await other.client.get(body.url)).status).toBe(404);
    expect((await chat.client.get('/user_uploads/temporary/v1.dev.AAAA.AAAA.AAAA/a.txt')).status).toBe(404);
    expect((await cordelia.client.get(`/api/v1${toDocumentedPath(url)}`)).status).toBe(404);
    expect((await chat.client.get(`/api/v1${toDocumentedPath(url)}`)).status).toBe(401);
  });

  it('creates a thumbnail no larger than the image', async () => {
    const { url } = await upload(hamlet.client, {
      name: 'p.png',
      type: 'image/png',
      content: await picture(1680, 560),
    });
    const thumbnail = url.replace('/user_uploads/', '/user_uploads/thumbnail/');
    const fastify = chat.app.getHttpAdapter().getInstance();
    const headers = { authorization: `Basic ${Buffer.from(`${hamlet.email}:${hamlet.apiKey}`).toString('base64')}` };
    const responses = await Promise.all(
      [1, 2].map(() => fastify.inject({ url: `${thumbnail}/840x560.webp`, headers })),
    );
    for (const response of responses) {
      expect(response.headers['content-type']).toBe('image/webp');
      expect(await sharp(response.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 840, height: 280 });
    }
    expect((await hamlet.client.get(`${toDocumentedPath(thumbnail)}%2F1x1.webp`)).status).toBe(404);
    expect((await cordelia.client.get(`${toDocumentedPath(thumbnail)}%2F840x560.webp`)).status).toBe(404);
  });

  it('returns the status of a thumbnail only to the user who uploaded the image', async () => {
    const image = { name: 'p.png', type: 'image/png', content: await picture(9, 9) };
    const text = { name: 'p.txt', type: 'text/plain', content: 'x' };
    const [{ url }, { url: other }] = [await upload(hamlet.client, image), await upload(hamlet.client, text)];
    const path = (file: string) => toDocumentedPath(file).replace('/user_uploads/', '/api/v1/thumbnail/status/');
    expect((await hamlet.client.get(path(url))).body).toMatchObject({ has_thumbnail: true });
    for (const response of [await cordelia.client.get(path(url)), await hamlet.client.get(path(other))]) {
      expect(response.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid attachment' });
    }
  });

  it('returns a thumbnail even if the thumbnail cannot be stored', async () => {
    const { url } = await upload(hamlet.client, { name: 'p.png', type: 'image/png', content: await picture(900, 600) });
    const blocked = url.replace('/user_uploads/', `${chat.runtime.config.UPLOADS_DIR}/thumbnails/`);
    await mkdir(dirname(blocked), { recursive: true });
    await writeFile(blocked, 'a file where a folder has to be');
    const thumbnail = toDocumentedPath(`${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp`);
    const { status, headers } = await hamlet.client.get(thumbnail);
    expect([status, headers['content-type']]).toEqual([200, 'image/webp']);
    await rm(blocked);
  });

  it.each([
    ['text that claims to be one', 'no picture'],
    ['a drawing with a program in it', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>'],
  ])('rejects a thumbnail of a file that is not an image: %s', async (_name, content) => {
    const { url, result } = await upload(hamlet.client, { name: 'p.png', type: 'image/png', content });
    expect(result).toBe('success');
    const thumbnail = toDocumentedPath(`${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp`);
    expect((await hamlet.client.get(thumbnail)).status).toBe(404);
  });
});

describe('DELETE /attachments/{id}', () => {
  it('removes the file and emits an event to its owner', async () => {
    const { url } = await upload(hamlet.client, { name: 'gone.txt', content: '12345' });
    const [newest] = (await attachments(hamlet)).attachments;
    const id = newest?.id ?? 0;
    const refused = await cordelia.client.delete(`/api/v1/attachments/${id}`);
    expect(refused.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid attachment' });
    const queue = await openTestEventQueue(chat, hamlet, ['attachment']);
    const { upload_space_used: used } = await attachments(hamlet);
    expect((await hamlet.client.delete(`/api/v1/attachments/${id}`)).status).toBe(200);
    expect((await hamlet.client.get(toDocumentedPath(url))).status).toBe(404);
    expect(await storedFiles()).not.toContain('gone.txt');
    const removed = { type: 'attachment', op: 'remove', attachment: { id }, upload_space_used: used - 5 };
    expect(await queue.read()).toEqual([removed]);
    const again = await hamlet.client.delete(`/api/v1/attachments/${id}`);
    expect(again.body).toMatchObject({ msg: 'Invalid attachment' });
  });
});

it('removeUnusedAttachments deletes stored files without a database row only after a waiting period', async () => {
  const { url } = await upload(hamlet.client, { name: 'kept.txt', content: 'x' });
  const { database, files } = chat.runtime;
  const ledger = new StoredFileDeletionSchedule(database, files.storage);
  await ledger.add('uploads/1/00/orphan/orphan.txt', one('x'), 'text/plain');
  expect(await ledger.deleteFilesMarkedLongAgo()).toBe(0);
  expect(await storedFiles()).toContain('orphan.txt');
  expect(await ledger.deleteFilesMarkedLongAgo(0)).toBe(1);
  expect(await storedFiles()).not.toContain('orphan.txt');
  expect((await hamlet.client.get(toDocumentedPath(url))).text).toBe('x');
});

it('POST /user_uploads creates no file when the client disconnects while the file is opened', async () => {
  const before = await storedFiles();
  const { storage } = chat.runtime.files;
  for (let round = 0; round < 50; round += 1) {
    const writes = [1, 2, 3].map((n) => storage.write(`uploads/1/00/off/${n}.txt`, brokenOff(), 'text/plain'));
    for (const outcome of await Promise.allSettled(writes)) expect(outcome.status).toBe('rejected');
  }
  // Long enough for files that are still being opened.
  await delay(200);
  expect(await storedFiles()).toEqual(before);
});

it('DiskStorage deletes at startup the partial uploads that a crashed process left', async () => {
  const before = await storedFiles();
  const { database, files } = chat.runtime;
  const ledger = new StoredFileDeletionSchedule(database, files.storage);
  const source = new PassThrough();
  source.write('x');
  const written = ledger.add('uploads/1/00/broken/broken.txt', source, 'text/plain');
  await expect.poll(storedFiles).toHaveLength(before.length + 1);
  expect(await ledger.deleteFilesMarkedLongAgo(0)).toBe(1);
  expect(await storedFiles()).toEqual(before);
  source.end('y');
  await expect(written).rejects.toThrow('ENOENT');
  expect(await storedFiles()).toEqual(before);
});

// oxlint-disable-next-line require-yield -- a source that fails before its first chunk
async function* brokenOff(): AsyncGenerator<Buffer> {
  throw new Error('broken off');
}

async function* one(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function setQuota(mebibytes: number | null): Promise<void> {
  await chat.runtime.database.query(
    `UPDATE realms SET settings = settings || jsonb_build_object('upload_quota_mib', $1::int)`,
    [mebibytes],
  );
}

describe('POST /user_uploads on a keep-alive connection', () => {
  let server: ListeningTestService;
  beforeAll(async () => {
    server = await listenOnFreePort(chat.app);
  });
  afterAll(() => server.close());

  function status(agent: Agent, method: string, path: string, body?: ReturnType<typeof multipart>): Promise<number> {
    const headers = { ...body?.headers, ...createBasicAuthorization(hamlet.email, hamlet.apiKey) };
    return new Promise((resolve, reject) => {
      const options = { method, agent, headers, signal: AbortSignal.timeout(5_000) };
      const sent = httpRequest(`${server.url}/api/v1/${path}`, options, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject);
      sent.end(body?.payload);
    });
  }

  const file = { name: 'a.txt', content: Buffer.alloc(1_000_000) };
  const large = { name: 'a.png', content: Buffer.alloc(6 * 1024 * 1024) };

  it.each([
    ['an upload with a second file', 'user_uploads', 200, multipart([file, file])],
    ['a picture that is too large', 'users/me/avatar', 400, multipart([large])],
    ['more files than an avatar may have', 'users/me/avatar', 400, multipart([file, file, file])],
    [
      'a form with too many fields',
      'drafts',
      400,
      multipart(Array.from({ length: 2_000 }, () => ({ ...file, content: 'x' }))),
    ],
  ])('lets the connection serve another request after %s', async (_name, path, expected, body) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      expect(await status(agent, 'POST', path, body)).toBe(expected);
      expect(await status(agent, 'GET', 'users/me')).toBe(200);
    } finally {
      agent.destroy();
    }
  });
});
