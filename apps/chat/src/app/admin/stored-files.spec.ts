import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkStoredFiles } from '@switchboard/database';
import { systemClock } from '@switchboard/platform';
import { startS3Server, testS3Credentials, waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { animation, multipart, picture, upload } from '../../../test/upload-forms.js';
import { openStoredFiles } from './stored-files.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ REALM_EXPORT_POLL_MS: '50' });
  iago = await signIn(chat, 'iago');
});
afterAll(() => cluster.stop());

/** Uploads and stores only the first part of a file through a resumable upload. */
async function startResumableUpload(): Promise<void> {
  const headers = { ...createBasicAuthorization(iago.email, iago.apiKey), 'tus-resumable': '1.0.0' };
  const inject = chat.app.getHttpAdapter().getInstance();
  const created = await inject.inject({
    method: 'POST',
    url: '/api/v1/tus',
    headers: { ...headers, 'upload-length': '10', 'upload-metadata': `filename ${btoa('a.txt')}` },
  });
  const sent = await inject.inject({
    method: 'PATCH',
    url: new URL(String(created.headers['location']), 'http://localhost').pathname,
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    payload: Buffer.from('half!'),
  });
  expect(sent.statusCode).toBe(204);
}

/** Makes an export of the organization's data. */
async function makeExport(): Promise<void> {
  await iago.client.post('/api/v1/export/realm', { form: {} });
  await waitFor(
    async () => {
      const { body } = await iago.client.get<{ exports: { pending: boolean }[] }>('/api/v1/export/realm');
      return body.exports.every(({ pending }) => !pending);
    },
    { timeoutMs: 60_000 },
  );
}

/** Compares the stored files of a process with the database. Returns the lines that the check prints. */
async function check({ runtime: { config } }: ChatProcess): Promise<string[]> {
  const lines: string[] = [];
  const { files, close } = openStoredFiles(config, systemClock);
  await checkStoredFiles({ url: config.DATABASE_URL, files }, (line) => void lines.push(line));
  await close();
  return lines;
}

describe('openStoredFiles', () => {
  it('lists the database rows of every kind of stored file', async () => {
    const image = await picture(900, 600);
    const { url } = await upload(iago.client, { name: 'p.png', type: 'image/png', content: image });
    const thumbnail = `${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp`;
    const headers = createBasicAuthorization(iago.email, iago.apiKey);
    const shown = await chat.app.getHttpAdapter().getInstance().inject({ url: thumbnail, headers });
    expect(shown.statusCode).toBe(200);
    await iago.client.post('/api/v1/users/me/avatar', multipart([{ name: 'a.png', content: image }]));
    const moving = await animation(20, 20);
    await iago.client.post('/api/v1/realm/emoji/moving', multipart([{ name: 'e.gif', content: moving }]));
    await iago.client.post('/api/v1/realm/icon', multipart([{ name: 'i.png', content: image }]));
    for (const night of ['true', 'false']) {
      await iago.client.post('/api/v1/realm/logo', multipart([{ name: 'l.png', content: image }], { night }));
    }
    await startResumableUpload();
    await makeExport();
    expect(await check(chat)).toEqual(['0 rows without file, 0 files without row.']);

    const root = chat.runtime.config.UPLOADS_DIR;
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const keys = paths.map((path) => path.slice(root.length + 1)).filter((key) => !key.startsWith('thumbnails/'));
    for (const folder of ['uploads', 'pictures', 'resumable', 'exports']) {
      expect(keys.filter((key) => key.startsWith(`${folder}/`)).length, folder).toBeGreaterThan(0);
    }
    for (const path of paths) await rm(path);
    const lost = keys.map((key) => `row without file: ${key}`);
    expect((await check(chat)).toSorted()).toEqual(
      [...lost, `${lost.length} rows without file, 0 files without row.`].toSorted(),
    );
  });

  it('lists the objects of a bucket', async () => {
    const s3 = await startS3Server();
    const other = await chatCluster();
    const process = await other.start({
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: 'files',
      S3_REGION: testS3Credentials.region,
      S3_ACCESS_KEY_ID: testS3Credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: testS3Credentials.secretAccessKey,
    });
    const user = await signIn(process, 'iago');
    const { url } = await upload(user.client, { name: 'a.txt', content: 'a' });
    expect(await check(process)).toEqual(['0 rows without file, 0 files without row.']);
    const key = url.replace('/user_uploads/', 'uploads/');
    const objects = s3.objects as Map<string, Buffer>;
    objects.delete(`/files/${key}`);
    objects.set('/files/uploads/other.txt', Buffer.alloc(1));
    expect(await check(process)).toEqual([
      `row without file: ${key}`,
      'file without row: uploads/other.txt',
      '1 rows without file, 1 files without row.',
    ]);
    await other.stop();
    await s3.close();
  });
});
