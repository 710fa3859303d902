import { createHash } from 'node:crypto';
import { testS3Credentials, startS3Server, type TestS3Server } from '@switchboard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseBucketUrl } from '../src/data-sources/read-bucket-objects.js';
import { type SyncResult, syncResultOf } from './support/data-sources.js';
import { startInventory, type TestInventory } from './support/test-service.js';

const credentials = {
  aws_access_key_id: testS3Credentials.accessKeyId,
  aws_secret_access_key: testS3Credentials.secretAccessKey,
};
const limits = { DATA_SOURCE_MAX_FILES: '5', DATA_SOURCE_MAX_FILE_BYTES: '100', DATA_SOURCE_MAX_BYTES: '200' };
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

let store: TestS3Server;
let test: TestInventory;
let count = 0;

beforeAll(async () => {
  [store, test] = await Promise.all([
    startS3Server({ region: 'us-east-1', pageSize: 2 }),
    startInventory({ DATA_SOURCE_ALLOW_LOOPBACK: 'true', ...limits }),
  ]);
});
afterAll(async () => {
  await test.close();
  await store.close();
});
beforeEach(() => store.objects.clear());

const put = (key: string, text: string): void => void store.objects.set(`/configs/${key}`, Buffer.from(text));

async function newSource({ parameters = credentials, url = `${store.endpoint}/configs/site` } = {}): Promise<number> {
  count += 1;
  const json = { name: `Bucket ${count}`, type: 'amazon-s3', source_url: url, parameters };
  return (await test.api.post<{ id: number }>('/api/core/data-sources/', { json })).body.id;
}

const sync = async (source: Promise<number>): Promise<SyncResult> => syncResultOf(test, await source);

describe('POST /api/core/data-sources/{id}/sync/ of type amazon-s3', () => {
  it('reads the objects whose keys begin with the prefix in the URL', async () => {
    put('site/one.j2', 'one');
    put('site/deep/two é&.txt', 'two');
    put('site/deep/', '');
    put('site/empty', '');
    put('site/deep/.hidden', 'x');
    put('other/three', 'three');
    const { status, files } = await sync(newSource());
    expect(status).toEqual(['completed', 'completed']);
    expect(files).toEqual({
      'site/one.j2': hashOf('one'),
      'site/deep/two é&.txt': hashOf('two'),
      'site/empty': hashOf(''),
    });
  });

  it('retains the stored files when the bucket cannot be read', async () => {
    put('site/one.j2', 'one');
    const id = await newSource();
    await syncResultOf(test, id);
    store.failWith = 503;
    const { status, files, error } = await syncResultOf(test, id);
    store.failWith = undefined;
    expect(status).toEqual(['failed', 'errored']);
    expect(files).toEqual({ 'site/one.j2': hashOf('one') });
    expect(error).toContain('failed with status 503');
  });

  it.each([
    ['too many objects', () => [...'123456'].forEach((name) => put(`site/${name}`, name)), /more than 5 files/],
    ['an object that is too large', () => put('site/large', 'x'.repeat(101)), /site\/large has more than 100 bytes/],
    ['too many bytes', () => [...'123'].forEach((name) => put(`site/${name}`, 'x'.repeat(90))), /more than 200 bytes/],
    ['a key that leaves its folder', () => put('site/../x', 'x'), /contains the segment/],
    ['a key with a null character', () => put('site/a\0b', 'x'), /null character/],
  ])('rejects %s', async (_case, prepare, message) => {
    prepare();
    const { error, files } = await sync(newSource());
    expect(error).toMatch(message);
    expect(files).toEqual({});
  });

  it('requires an access key id and a secret access key', async () => {
    const { error } = await sync(newSource({ parameters: { ...credentials, aws_secret_access_key: '' } }));
    expect(error).toBe('The parameters aws_access_key_id and aws_secret_access_key are required.');
    const wrong = await sync(newSource({ parameters: { ...credentials, aws_secret_access_key: 'wrong' } }));
    expect(wrong.error).toContain('failed with status 403');
  });

  it('connects only to addresses that the address policy allows', async () => {
    const strict = await startInventory();
    const json = {
      name: 'Strict',
      type: 'amazon-s3',
      source_url: `${store.endpoint}/configs`,
      parameters: credentials,
    };
    const { body } = await strict.api.post<{ id: number }>('/api/core/data-sources/', { json });
    expect((await syncResultOf(strict, body.id)).error).toMatch(/is refused: loopback/);
    await strict.close();
  });
});

describe('parseBucketUrl', () => {
  it.each([
    ['https://s3.eu-west-1.amazonaws.com/configs/a/b', 'https://s3.eu-west-1.amazonaws.com', 'eu-west-1', 'a/b'],
    ['https://configs.s3.eu-west-1.amazonaws.com/a/b', 'https://s3.eu-west-1.amazonaws.com', 'eu-west-1', 'a/b'],
    ['https://configs.s3.amazonaws.com/', 'https://s3.amazonaws.com', 'us-east-1', ''],
    ['https://s3.cn-north-1.amazonaws.com.cn/configs', 'https://s3.cn-north-1.amazonaws.com.cn', 'cn-north-1', ''],
    ['http://store.example:9000/configs/a%20b/', 'http://store.example:9000', 'us-east-1', 'a b/'],
  ])('parses %s', (url, endpoint, region, prefix) => {
    expect(parseBucketUrl(url)).toEqual({ endpoint, region, bucket: 'configs', prefix });
  });

  it.each(['configs', 'ftp://store.example/configs', 'https://store.example/', 'https://u:p@store.example/configs'])(
    'rejects %s',
    (url) => expect(() => parseBucketUrl(url)).toThrow(/bucket/),
  );
});
