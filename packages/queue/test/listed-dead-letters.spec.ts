import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Outbox } from '../src/index.js';
import { testPool } from './queue-test-support.js';

const mebibyte = 1024 * 1024;

describe('Outbox.listDeadLetters', () => {
  let pool: pg.Pool;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ pool, drop } = await testPool());
    await pool.query(
      `INSERT INTO queue.outbox (topic, payload, attempts, error, set_aside_at)
       SELECT 'test.large', to_jsonb(repeat('x', ${1.5 * mebibyte})), 3, 'broken', now() FROM generate_series(1, 3)`,
    );
  });
  afterAll(() => drop());

  const listShortened = async (maxBytes?: number): Promise<boolean[]> => {
    const letters = await new Outbox({ pool }).listDeadLetters('test.large', {}, 10, 0, maxBytes);
    expect(letters.map(({ payload }) => payload === null)).toEqual(
      letters.map(({ isShortened }) => isShortened ?? false),
    );
    return letters.map(({ isShortened }) => isShortened ?? false);
  };

  it('omits payloads beyond 4 MiB by default', async () => {
    expect(await listShortened()).toEqual([false, false, true]);
  });

  it('omits payloads beyond maxBytes', async () => {
    expect(await listShortened(2 * mebibyte)).toEqual([false, true, true]);
    expect(await listShortened(0)).toEqual([true, true, true]);
  });

  it('returns all payloads with an infinite maxBytes', async () => {
    expect(await listShortened(Infinity)).toEqual([false, false, false]);
  });
});
