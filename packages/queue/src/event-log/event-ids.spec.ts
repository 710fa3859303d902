import { describe, expect, it } from 'vitest';
import type { QueuePool } from '../database.js';
import { LogPositionReader } from './number-log-rows.js';

describe('LogPositionReader.read', () => {
  it('shares the next read between all calls that arrive during a read', async () => {
    const completions: (() => void)[] = [];
    let position = 7;
    const pool: QueuePool = {
      query: <R>() =>
        new Promise<{ rows: R[] }>((resolve) => {
          const rows = [{ position: String(position) }] as R[];
          completions.push(() => resolve({ rows }));
        }),
      connect: () => Promise.reject(new Error('not used')),
    };
    const positions = new LogPositionReader({ pool, schema: 'queue' });
    const first = positions.readLastPositionOfRealm('a');
    position = 8;
    const later = [
      positions.readLastPositionOfRealm('a'),
      positions.readLastPositionOfRealm('a'),
      positions.readLastPositionOfRealm('a'),
    ];
    expect(completions).toHaveLength(1);
    completions[0]?.();
    expect(await first).toBe(7);
    await expect.poll(() => completions.length).toBe(2);
    completions[1]?.();
    expect(await Promise.all(later)).toEqual([8, 8, 8]);
    const last = positions.readLastPositionOfRealm('a');
    completions[2]?.();
    expect(await last).toBe(8);
  });
});
