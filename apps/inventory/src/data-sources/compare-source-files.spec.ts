import { describe, expect, it, vi } from 'vitest';
import { compareSourceFiles, type ListedSourceFile } from './compare-source-files.js';

const limits = { files: 1000, bytes: 100_000_000, fileBytes: 10_000_000, timeoutMs: 60_000 };

/** Returns the number of event loop rounds that pass while the function compares files that are in memory. */
async function roundsOf(files: readonly { path: string; bytes: number }[]): Promise<number> {
  // Each piece of work takes longer than the time without a pause.
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 11));
  let rounds = 0;
  let isDone = false;
  const count = (): void => {
    rounds += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  async function* listed(): AsyncGenerator<ListedSourceFile> {
    for (const { path, bytes } of files) yield { path, read: () => Promise.resolve(new Uint8Array(bytes)) };
  }
  const { signal } = new AbortController();
  const isIgnored = (path: string): Promise<boolean> => Promise.resolve(path === 'ignored');
  await compareSourceFiles({ listed: listed(), stored: new Map(), isIgnored, limits, signal });
  isDone = true;
  clock.mockRestore();
  return rounds;
}

describe('compareSourceFiles', () => {
  it('lets the event loop run between files', async () => {
    const files = Array.from({ length: 30 }, (_, index) => ({ path: `file ${index}`, bytes: 10 }));
    expect(await roundsOf(files)).toBeGreaterThanOrEqual(30);
  });

  it('lets the event loop run between ignored files', async () => {
    const files = Array.from({ length: 30 }, () => ({ path: 'ignored', bytes: 10 }));
    expect(await roundsOf(files)).toBeGreaterThanOrEqual(30);
  });

  it('lets the event loop run while the function hashes a large file', async () => {
    expect(await roundsOf([{ path: 'large', bytes: 8 * 1_048_576 }])).toBeGreaterThanOrEqual(8);
  });
});
