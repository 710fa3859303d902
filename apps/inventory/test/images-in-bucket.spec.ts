import { checkStoredFiles } from '@switchboard/database';
import { startS3Server, type TestS3Server } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callWithInventoryBackupSource } from '../src/inventory-backup-source.js';
import { createInventoryChecks } from '../src/check-installation.js';
import { formOf, picture } from './support/create-object-by-api.js';
import { createS3Environment } from './support/s3-environment.js';
import { startInventory, type TestInventory } from './support/test-service.js';

const path = '/api/extras/image-attachments/';

let s3: TestS3Server;
let test: TestInventory;
let site = 0;

beforeAll(async () => {
  s3 = await startS3Server();
  test = await startInventory(createS3Environment(s3));
  site = (await test.api.post<{ id: number }>('/api/dcim/sites/', { json: { name: 'A', slug: 'a' } })).body.id;
});
afterAll(async () => {
  await test.close();
  await s3.close();
});

const attach = async (name: string) => {
  const fields = { object_type: 'dcim.site', object_id: site, name, image: picture(`${name}.png`) };
  return test.api.post<{ id: number; image: string }>(path, { ...(await formOf(fields)), unchecked: true });
};
const load = async (address: string) =>
  (await test.api.get(new URL(address, 'http://localhost').pathname, { unchecked: true })).status;

/** Runs the check of the service's stored files, and returns the lines that the check prints. */
async function check(): Promise<string[]> {
  const lines: string[] = [];
  await callWithInventoryBackupSource(test.inventory.config, (service) =>
    checkStoredFiles(service, (line) => void lines.push(line)),
  );
  return lines;
}

describe('POST /api/extras/image-attachments/ with pictures in a bucket', () => {
  it('stores pictures of the same name under different keys, and removes each with its object', async () => {
    const [first, second] = [await attach('door'), await attach('door')];
    expect(first.body.image).toMatch(/\/media\/image-attachments\/site_\d+_door_[a-z0-9]{9}\.png$/);
    expect(s3.objects.size).toBe(2);
    expect([await load(first.body.image), await load(second.body.image)]).toEqual([200, 200]);
    await test.api.delete(`${path}${first.body.id}/`, { unchecked: true });
    expect([await load(first.body.image), await load(second.body.image)]).toEqual([404, 200]);
    await test.api.delete(`${path}${second.body.id}/`, { unchecked: true });
    expect(s3.objects.size).toBe(0);
  });

  it('responds 503 and creates no object when the store fails', async () => {
    s3.failWith = 500;
    const { status } = await attach('refused').finally(() => (s3.failWith = undefined));
    expect(status).toBe(503);
    expect((await test.api.get<{ count: number }>(path, { query: { name: 'refused' } })).body.count).toBe(0);
  });
});

describe('GET /media/{path} with pictures in a bucket', () => {
  it('responds 503 when the store fails, and 404 when the bucket has lost the picture', async () => {
    const { body } = await attach('lost');
    s3.failWith = 500;
    expect(await load(body.image).finally(() => (s3.failWith = undefined))).toBe(503);
    s3.objects.clear();
    expect(await load(body.image)).toBe(404);
    await test.api.delete(`${path}${body.id}/`, { unchecked: true });
  });

  it('reads no marks, and no keys that a URL cannot express', async () => {
    const { media } = test.inventory;
    await media.markAsSuspect(['image-attachments/a.png']);
    expect(await media.read('.suspects/image-attachments/a.png')).toBeNull();
    expect(await media.read('image-attachments/../a.png')).toBeNull();
    await media.markAsUsed(['image-attachments/a.png']);
  });
});

describe('admin check-files with pictures in a bucket', () => {
  it('reports missing or unused pictures, except those of unfinished writes', async () => {
    const { body } = await attach('missing');
    const { media } = test.inventory;
    await media.add('devicetype-images/pending.png', Buffer.from('x'));
    expect(await check()).toEqual(['0 rows without file, 0 files without row.']);
    const key = new URL(body.image).pathname.replace('/media/', '');
    s3.objects.delete(`/pictures/${key}`);
    s3.objects.set('/pictures/devicetype-images/unused.png', Buffer.from('x'));
    expect(await check()).toEqual([
      `row without file: ${key}`,
      'file without row: devicetype-images/unused.png',
      '1 rows without file, 1 files without row.',
    ]);
  });
});

describe('createInventoryChecks with pictures in a bucket', () => {
  it('writes an object to the bucket, reads it back and removes it', async () => {
    const before = s3.objects.size;
    const checks = createInventoryChecks(test.inventory.config, { requireMigrations: async () => {} });
    const finding = await checks.find(({ name }) => name === 'files')?.run();
    expect(finding).toMatchObject({ level: 'ok', text: 'The bucket pictures stores files.' });
    expect(s3.objects.size).toBe(before);
  });
});
