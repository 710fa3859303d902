import { randomBytes } from 'node:crypto';
import { testS3Credentials, startS3Server, type TestS3Server } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../test/chat-server.js';
import { toDocumentedPath, multipart, picture, upload } from '../../../test/upload-forms.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let s3: TestS3Server;

beforeAll(async () => {
  [cluster, s3] = await Promise.all([chatCluster(), startS3Server()]);
  chat = await cluster.start(environment());
  hamlet = await signIn(chat, 'hamlet');
});
afterAll(async () => {
  await cluster.stop();
  await s3.close();
});

function environment(secret = testS3Credentials.secretAccessKey): Record<string, string> {
  return {
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: 'files',
    S3_REGION: testS3Credentials.region,
    S3_ACCESS_KEY_ID: testS3Credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: secret,
  };
}

function keyOf(url: string): string {
  return `/files/uploads/${url.replace('/user_uploads/', '')}`;
}

async function load(url: string, headers: Record<string, string> = {}): Promise<Buffer> {
  const own = createBasicAuthorization(hamlet.email, hamlet.apiKey);
  const { rawPayload } = await chat.app
    .getHttpAdapter()
    .getInstance()
    .inject({ url, headers: { ...own, ...headers } });
  return rawPayload;
}

describe('S3 storage', () => {
  it.each([
    ['a small file', 1000],
    ['one as long as a part', 5 * 1024 * 1024],
    ['one of several parts', 12 * 1024 * 1024 + 7],
  ])('returns files unchanged: %s', async (_name, length) => {
    const content = randomBytes(length);
    const { url } = await upload(hamlet.client, { name: "it's (é).bin", content });
    expect(s3.objects.get(keyOf(url))?.equals(content)).toBe(true);
    expect((await load(encodeURI(url))).equals(content)).toBe(true);
    expect([s3.unfinished.size, s3.refusals]).toEqual([0, []]);
  });

  it('serves ranges across part boundaries', async () => {
    const content = randomBytes(11 * 1024 * 1024);
    const { url } = await upload(hamlet.client, { name: 'a.mp4', type: 'video/mp4', content });
    const part = await load(url, { range: 'bytes=100-10485899' });
    expect(part.equals(content.subarray(100, 10_485_900))).toBe(true);
  });

  it('stores no parts of an interrupted upload', async () => {
    const { payload, headers } = multipart([{ name: 'half.bin', content: Buffer.alloc(7 * 1024 * 1024) }]);
    const before = s3.objects.size;
    const { body } = await hamlet.client.post('/api/v1/user_uploads', {
      payload: payload.subarray(0, 6_500_000),
      headers,
    });
    expect(body).toMatchObject({ msg: 'Malformed form data' });
    expect([s3.objects.size, s3.unfinished.size]).toEqual([before, 0]);
  });

  it('stores thumbnails next to their image, and deletes thumbnails together with the image', async () => {
    const { url } = await upload(hamlet.client, { name: 'p.png', type: 'image/png', content: await picture(900, 600) });
    const thumbnail = `${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp`;
    expect((await load(thumbnail)).subarray(8, 12).toString()).toBe('WEBP');
    const before = s3.objects.size;
    const { body } = await hamlet.client.get<{ attachments: { id: number }[] }>('/api/v1/attachments');
    await hamlet.client.delete(`/api/v1/attachments/${body.attachments[0]?.id}`);
    expect(s3.objects.size).toBe(before - 2);
  });

  it('responds 404 when the bucket has lost the file', async () => {
    const { url } = await upload(hamlet.client, { name: 'lost.txt', content: 'x' });
    (s3.objects as Map<string, Buffer>).clear();
    expect((await hamlet.client.get(toDocumentedPath(url))).status).toBe(404);
  });

  it('responds 500 and stores nothing when the bucket rejects the key', async () => {
    const stranger = await cluster.start(environment('wrong'));
    const before = s3.objects.size;
    const client = stranger.client.withHeaders(createBasicAuthorization(hamlet.email, hamlet.apiKey));
    const { status } = await client.post('/api/v1/user_uploads', {
      ...multipart([{ name: 'a.txt', content: 'a' }]),
      unchecked: true,
    });
    expect([status, s3.refusals.at(-1), s3.objects.size]).toEqual([500, 'SignatureDoesNotMatch', before]);
  });
});
