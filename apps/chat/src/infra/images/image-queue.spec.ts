import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ImageOperationQueue } from './image-queue.js';

/** Returns a fake image operation. The operation records its start, and runs until the test releases the operation. */
function operation(begun: string[], name: string) {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const run = async (): Promise<string> => {
    begun.push(name);
    await released;
    return name;
  };
  return { run, release };
}

describe('ImageOperationQueue.runImageOperation', () => {
  it('runs two operations at a time, and starts operations in the order of arrival', async () => {
    const begun: string[] = [];
    const queue = new ImageOperationQueue(10);
    const [a, b, c, d] = [...'abcd'].map((name) => operation(begun, name));
    const results = Promise.all([a, b, c, d].map((one) => queue.runImageOperation(one!.run)));
    await nextTurn();
    expect(begun).toEqual(['a', 'b']);
    b!.release();
    await nextTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const one of [a, c, d]) one!.release();
    expect(await results).toEqual(['a', 'b', 'c', 'd']);
  });

  it('rejects operations with SERVICE_UNAVAILABLE and Retry-After when too many wait', async () => {
    const queue = new ImageOperationQueue(1);
    const running = [1, 2, 3].map((name) => operation([], String(name)));
    const results = running.map(({ run }) => queue.runImageOperation(run));
    await expect(queue.runImageOperation(async () => 'late')).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
    });
    for (const { release } of running) release();
    await Promise.all(results);
    expect(await queue.runImageOperation(async () => 'later')).toBe('later');
  });

  it('continues after an operation that fails', async () => {
    const queue = new ImageOperationQueue(1);
    await expect(queue.runImageOperation(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await Promise.all([1, 2, 3].map((value) => queue.runImageOperation(async () => value)))).toEqual([1, 2, 3]);
  });
});
