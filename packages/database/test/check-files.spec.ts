import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkStoredFiles, type ServiceFiles } from '../src/index.js';
import { BackupRig, folderOf, query, writeStoredFile } from './backup-test-environment.js';

let rig: BackupRig;

beforeEach(async () => {
  rig = await BackupRig.create();
});
afterEach(() => rig.close());

describe('checkStoredFiles', () => {
  it('prints rows without file and files without row, in the order of their names', async () => {
    const service = await rig.filledService([
      [1, 'one', 'one.txt'],
      [2, 'two', 'b/two.txt'],
      [3, 'three', 'a/three.txt'],
      [4, 'four', null],
    ]);
    for (const key of ['b/two.txt', 'a/three.txt']) rmSync(join(folderOf(service), key));
    writeStoredFile(service, 'x/unused 1.txt', '');
    writeStoredFile(service, '.incoming/half', '');
    expect(await checkStoredFiles(service, rig.print)).toBe(3);
    expect(rig.lines).toEqual([
      'row without file: a/three.txt',
      'row without file: b/two.txt',
      'file without row: x/unused 1.txt',
      '2 rows without file, 1 files without row.',
    ]);
  });

  it('compares more files than fit into one batch', async () => {
    const service = await rig.filledService([]);
    await query(service.url, "INSERT INTO notes SELECT n, '', 'f/' || n FROM generate_series(1, 2500) n");
    const keys = Array.from({ length: 2500 }, (_, index) => `f/${index + 1}`);
    const store = { ...bucketOf(keys.map((key) => (key === 'f/1700' ? 'f/other' : key))) };
    expect(await checkStoredFiles({ ...service, files: { ...service.files, store } }, rig.print)).toBe(2);
    expect(rig.lines.slice(0, 2)).toEqual(['row without file: f/1700', 'file without row: f/other']);
  });

  it('prints neither an optional missing file nor a file that a running write has marked', async () => {
    const service = await rig.filledService([[1, 'one', 'one.txt']]);
    rmSync(join(folderOf(service), 'one.txt'));
    writeStoredFile(service, 'pending.txt', '');
    const store = { kind: 'folder', folder: folderOf(service), isPending: async () => true } as const;
    const keysSql = 'SELECT file AS key, false AS is_required FROM notes';
    expect(await checkStoredFiles({ ...service, files: { keysSql, store } }, rig.print)).toBe(0);
  });

  it('checks rows and files again when they change during the check', async () => {
    const service = await rig.filledService([[1, 'one', 'used.txt']]);
    const stored = new Set(['unused.txt', 'used.txt']);
    const store = {
      ...bucketOf([]),
      async *list() {
        yield* ['unused.txt', 'used.txt'];
        // Both writes commit after the files were listed, and before or after the rows are read.
        stored.add('late.txt');
        await query(service.url, "INSERT INTO notes VALUES (2, 'two', 'late.txt')");
      },
      async exists(key: string) {
        if (key === 'unused.txt') await query(service.url, "INSERT INTO notes VALUES (3, 'three', 'unused.txt')");
        return stored.has(key);
      },
    };
    expect(await checkStoredFiles({ ...service, files: { ...service.files, store } }, rig.print)).toBe(0);
  });
});

function bucketOf(keys: readonly string[]): Extract<ServiceFiles['store'], { kind: 'bucket' }> {
  return {
    kind: 'bucket',
    endpoint: '',
    bucket: '',
    async *list() {
      yield* keys;
    },
    exists: async (key) => keys.includes(key),
  };
}
