import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readExportArchiveBytes } from './stream-export-archive.js';

describe('readExportArchiveBytes', () => {
  it('opens no stored file if the reader stops after the header of the first file', async () => {
    const part = {
      entry: 1,
      piece: 1,
      name: 'migration_status.json',
      key: 'exports/1/1/a.gz',
      size: 2,
      entry_size: 2,
      is_first: true,
      is_last: true,
    };
    const answers: object[] = [{ count: 1 }, part];
    const database = { query: async () => ({ rows: answers.splice(0, 1), rowCount: 1 }) };
    let opened = 0;
    const storage = {
      async open() {
        opened += 1;
        return Readable.from([Buffer.from('{}')]);
      },
    };
    const tools = { database, storage } as unknown as Parameters<typeof readExportArchiveBytes>[0];
    const archive = readExportArchiveBytes(tools, { exportId: 1, folder: 'x', modifiedAt: 0 });
    expect((await archive.next()).done).toBe(false);
    await archive.return(undefined);
    expect(opened).toBe(0);
  });
});
