import { describe, expect, it } from 'vitest';
import type { QueuePool } from '../database.js';
import { Positions } from './numbering.js';

describe('Positions.read', () => {
  it('shares the next read between calls that arrive during a read', async () => {
    const answers: (() => void)[] = [];
    let position = 7;
    const pool: QueuePool = {
      query: <R>() =>
        new Promise<{ rows: R[] }>((resolve) => {
          const rows = [{ position: String(position) }] as R[];
          answers.push(() => resolve({ rows }));
        }),
      connect: () => Promise.reject(new Error('not used')),
    };
    const positions = new Positions(pool);
    const first = positions.read('a');
    position = 8;
    const later = [positions.read('a'), positions.read('a'), positions.read('a')];
    expect(answers).toHaveLength(1);
    answers[0]?.();
    expect(await first).toBe(7);
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.();
    expect(await Promise.all(later)).toEqual([8, 8, 8]);
    const last = positions.read('a');
    answers[2]?.();
    expect(await last).toBe(8);
  });
});
