import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess } from '../../../test/chat-server.js';
import { StoredFileDeletionSchedule } from './stored-file-ledger.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ ROLE: 'api' });
});
afterAll(() => cluster.stop());

describe('StoredFileDeletionSchedule.deleteNow', () => {
  it('deletes marked files in batches of 100, and leaves files that cannot be deleted for a later run', async () => {
    const { database } = chat.runtime;
    const keys = Array.from({ length: 250 }, (_, n) => `file ${n}`);
    const removed: string[] = [];
    let running = 0;
    let most = 0;
    const unused = () => Promise.reject(new Error('Only removals are expected'));
    const storage = {
      write: unused,
      open: unused,
      async remove(key: string): Promise<void> {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running -= 1;
        if (key === 'file 120') throw new Error('The storage is unavailable');
        removed.push(key);
      },
    };
    const ledger = new StoredFileDeletionSchedule(database, storage);
    const marked = keys.slice(0, 240);
    await database.inTransaction((tx) => ledger.scheduleDeletion(tx, marked));
    await ledger.deleteNow(keys);
    expect(removed.toSorted()).toEqual(marked.filter((key) => key !== 'file 120').toSorted());
    expect(most).toBeLessThanOrEqual(100);
    const { rows } = await database.query<{ key: string }>("SELECT key FROM doomed_files WHERE key LIKE 'file %'");
    expect(rows).toEqual([{ key: 'file 120' }]);
  });
});
