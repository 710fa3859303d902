import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkStoredFiles } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callWithInventoryBackupSource } from '../src/inventory-backup-source.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { formOf, picture } from './support/create-object-by-api.js';

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory({ RESPONSE_FOLDER: '/tmp/inventory-stored-files-responses' });
});
afterAll(() => test.close());

/** Runs the check of the service's stored files, and returns the lines that the check prints. */
async function check(): Promise<string[]> {
  const lines: string[] = [];
  await callWithInventoryBackupSource(test.inventory.config, (service) =>
    checkStoredFiles(service, (line) => void lines.push(line)),
  );
  return lines;
}

describe('callWithInventoryBackupSource', () => {
  it('reports missing or unused files, except those of unfinished writes', async () => {
    const site = await test.api.post<{ id: number }>('/api/dcim/sites/', { json: { name: 'A', slug: 'a' } });
    const fields = { object_type: 'dcim.site', object_id: site.body.id, name: 'n', image: picture('a.png') };
    await test.api.post('/api/extras/image-attachments/', { ...(await formOf(fields)), unchecked: true });
    const maker = await test.api.post<{ id: number }>('/api/dcim/manufacturers/', { json: { name: 'M', slug: 'm' } });
    const type = { manufacturer: maker.body.id, model: 'D', slug: 'd', front_image: picture('f.png') };
    const made = await test.api.post('/api/dcim/device-types/', { ...(await formOf(type)), unchecked: true });
    expect(made.status).toBe(201);
    const { MEDIA_ROOT: root } = test.inventory.config;
    for (const path of ['devicetype-images/pending.png', '.suspects/devicetype-images/pending.png']) {
      await mkdir(join(root, path, '..'), { recursive: true });
      await writeFile(join(root, path), '');
    }
    expect(await check()).toEqual(['0 rows without file, 0 files without row.']);

    await writeFile(join(root, 'devicetype-images/unused.png'), '');
    await rm(join(root, 'image-attachments'), { recursive: true });
    expect(await check()).toEqual([
      `row without file: image-attachments/site_${site.body.id}_n.png`,
      'file without row: devicetype-images/unused.png',
      '1 rows without file, 1 files without row.',
    ]);
  });
});
