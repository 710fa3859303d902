import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chatCluster } from '../../../../../test/chat-server.js';
import { createImportFolder, removeAbandonedImportFolders } from './import-folders.js';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'imports-'));
  vi.stubEnv('TMPDIR', parent);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(parent, { recursive: true, force: true });
});

/** Creates a temporary folder like the folder of a killed import process. */
async function abandonedFolder(host = hostname()): Promise<string> {
  const ended = spawn(process.execPath, ['--eval', '']);
  await once(ended, 'exit');
  const folder = join(parent, `realm-import-${host}-${ended.pid}-Ab12Cd`);
  await mkdir(join(folder, 'archive'), { recursive: true });
  await writeFile(join(folder, 'archive/realm.json'), '{}');
  return folder;
}

describe('removeAbandonedImportFolders', () => {
  it('removes the folders of processes that have ended', async () => {
    const folder = await abandonedFolder();
    expect(await removeAbandonedImportFolders()).toEqual([folder]);
    expect(existsSync(folder)).toBe(false);
  });

  it('leaves the folders of running processes and of other hosts', async () => {
    const folders = [await createImportFolder(), await abandonedFolder('another-host')];
    expect(await removeAbandonedImportFolders()).toEqual([]);
    expect(folders.map((folder) => existsSync(folder))).toEqual([true, true]);
  });

  it.each(['EACCES', 'EPERM'])(
    'leaves a folder that belongs to another account (%s), and removes the other folders',
    async (code) => {
      const [refused, removed] = [await abandonedFolder(), await abandonedFolder()];
      const remove = async (folder: string): Promise<void> => {
        if (folder === refused) throw Object.assign(new Error(`${code}: rm '${folder}'`), { code });
        await rm(folder, { recursive: true });
      };
      expect(await removeAbandonedImportFolders(remove)).toEqual([removed]);
      expect(existsSync(refused)).toBe(true);
    },
  );

  it('rethrows an error of the file system when the removal of a folder fails', async () => {
    await abandonedFolder();
    const full = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    await expect(removeAbandonedImportFolders(() => Promise.reject(full))).rejects.toThrow('EIO');
  });
});

describe('process of the service', () => {
  it('removes the folders of killed imports when the service starts', async () => {
    const folder = await abandonedFolder();
    const cluster = await chatCluster({ withDemo: false });
    await cluster.start();
    expect(existsSync(folder)).toBe(false);
    await cluster.stop();
  });
});
