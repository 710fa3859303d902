import { Redis } from 'ioredis';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueueTx } from '../src/index.js';
import { range, stopAll, TestProcess } from './event-log-support.js';
import { redisUrl, testPool, uniqueName, until } from './support.js';

const prefix = uniqueName();
const realm = uniqueName();

let pool: pg.Pool;
let drop: () => Promise<void>;
let redis: Redis;

beforeAll(async () => {
  ({ pool, drop } = await testPool());
  await pool.query('CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY, realm text, n int)');
  redis = new Redis(redisUrl);
});
afterAll(async () => {
  await stopAll();
  redis.disconnect();
  await drop();
});

describe('numbering behind a COMMIT', () => {
  it('sends one statement on the connection of a COMMIT and no more, whoever commits meanwhile', async () => {
    const process = new TestProcess(pool, prefix);
    await process.log.ready();
    const tx: QueueTx = { query: (sql, params) => process.pool.query(sql, params) };
    process.log.write(tx, { realm, audience: { all: true }, event: { type: 'thing', n: 0 } });
    await process.outbox.flush(tx);
    let sent = 0;
    let answer = (): void => {};
    const othersCommitted = new Promise<void>((resolve) => (answer = resolve));
    process.outbox.committing(tx, {
      query: async (sql, params) => {
        sent += 1;
        await othersCommitted;
        return process.pool.query(sql, params);
      },
    });
    await Promise.all(range(1, 5).map((n) => process.change(realm, n)));
    answer();
    await until(async () => Number(await redis.hget(`{${prefix}:${realm}}:meta`, 'last')) === 5);
    expect(sent).toBe(1);
  });
});
