import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { AdminError } from '../admin-error.js';
import { explainImportError } from './explain-import-error.js';

describe('explainImportError', () => {
  it.each([
    ['of the file system', () => writeFile('/dev/full', 'x')],
    ['of the database', () => Promise.reject(Object.assign(new Error('could not extend file'), { code: '53100' }))],
  ])('explains an error of a full disk %s in one line', async (_place, fill) => {
    const explained = explainImportError(await fill().catch((error: unknown) => error));
    expect(explained).toBeInstanceOf(AdminError);
    expect(String(explained)).toMatch(/^AdminError: There is not enough free space: .+\. Nothing was imported\.$/);
  });

  it.each(['EACCES', 'EPERM', 'EROFS'])('explains the file system error %s in one line', (code) => {
    const error = Object.assign(new Error(`${code}: scandir '/export'`), { code });
    const explained = explainImportError(error);
    expect(explained).toBeInstanceOf(AdminError);
    expect(String(explained)).toBe(
      `AdminError: This account has no access to a file or folder: ${code}: scandir '/export'. Nothing was imported.`,
    );
  });

  it('returns other errors unchanged', () => {
    const error = new Error('a defect');
    expect(explainImportError(error)).toBe(error);
  });
});
