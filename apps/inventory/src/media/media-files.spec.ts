import { expect, it, describe } from 'vitest';
import { changeFiles } from './media-files.js';

const paths = Array.from({ length: 1_000 }, (_, index) => `${index}.png`);

describe('changeFiles', () => {
  it('changes all files when a few changes fail, and returns the errors', async () => {
    const changed: string[] = [];
    const errors = await changeFiles(paths, async (path) => {
      changed.push(path);
      if (path.endsWith('50.png')) throw new Error(path);
    });
    expect(changed).toEqual(paths);
    expect(errors).toHaveLength(10);
  });

  it('stops when the storage fails as a whole', async () => {
    let calls = 0;
    const errors = await changeFiles(paths, async () => {
      calls += 1;
      await Promise.reject(new Error('store failed'));
    });
    expect(calls).toBeLessThan(32);
    expect(errors.length).toBeGreaterThanOrEqual(16);
  });
});
