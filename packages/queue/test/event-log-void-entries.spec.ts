import { Redis } from 'ioredis';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BadEventQueueError, withOutbox } from '../src/index.js';
import { stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { PrivateRedis, uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let server: PrivateRedis;
let redis: Redis;
let realm: string;

const ENTRY_ATTEMPTS = 3;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  server = await PrivateRedis.start();
  redis = new Redis(server.url);
  // Redis rejects longer arguments. An entry can be within the limit of characters and exceed this limit of bytes.
  await redis.config('SET', 'proto-max-bulk-len', '1048576');
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.outbox, queue.event_log');
  realm = uniqueName();
});
afterEach(() => stopAll());
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await drop();
});

async function startProcess(): Promise<TestProcess> {
  const process = new TestProcess(pool, 'void', { redis: server.url, entryAttempts: ENTRY_ATTEMPTS });
  await process.log.waitUntilStoreResponds();
  return process;
}

/** Commits an event of 1.5 million bytes, which Redis rejects. */
async function writeRefused({ log, outbox }: TestProcess): Promise<void> {
  await withOutbox(pool, outbox, async (tx) =>
    log.write(tx, { realm, audience: { all: true }, event: { type: 'large', text: '\u20ac'.repeat(500_000) } }),
  );
}

const last = async (): Promise<number> => Number(await redis.hget(`{void:${realm}}:meta`, 'last'));
const floor = async (): Promise<number> => Number(await redis.hget(`{void:${realm}}:meta`, 'floor'));

/**
 * Starts maintenance runs until the event log has reached the given position. Some runs fail, because Redis closes the
 * connection at each rejected append.
 */
async function sweepUntil({ log }: TestProcess, unit: number): Promise<void> {
  await until(async () => {
    await log.sweep();
    return (await last()) === unit;
  }, 10_000);
}

describe('row of an event that Redis rejects', () => {
  it('becomes an empty entry after several attempts, and clients register again', async () => {
    const [process, other] = [await startProcess(), await startProcess()];
    const client = await TestClient.register(process, realm);
    const held = await TestClient.register(process, realm);
    const poll = held.poll(other, true);
    await process.change(realm, 1);
    await client.collect(process, 1);
    expect(await poll).toMatchObject([{ n: 1 }]);
    await writeRefused(process);
    await process.change(realm, 2);
    const waiting = expect(held.poll(other, true)).rejects.toThrow(BadEventQueueError);
    await sweepUntil(process, 3);

    expect(await floor()).toBe(2);
    expect(process.log.metrics()).toMatchObject({ voided: 1 });
    const rows = await pool.query<{ seq: string; attempts: number; void: boolean; error: string | null }>(
      'SELECT seq, attempts, void, error FROM queue.outbox ORDER BY seq',
    );
    expect(rows.rows.map(({ seq, attempts, void: isVoid }) => [Number(seq), attempts, isVoid])).toEqual([
      [1, 0, false],
      [2, ENTRY_ATTEMPTS, true],
      [3, 0, false],
    ]);
    expect(rows.rows[1]?.error).toContain('invalid bulk length');

    await waiting;
    await expect(client.poll(process)).rejects.toThrow(BadEventQueueError);
    const again = await TestClient.register(other, realm);
    expect(again.things).toEqual([1, 2]);
    await process.change(realm, 3);
    expect(await again.collect(process, 3)).toEqual([1, 2, 3]);
  });

  it('never enters the log later, even if Redis loses everything', async () => {
    const process = await startProcess();
    await writeRefused(process);
    await process.change(realm, 1);
    await sweepUntil(process, 2);
    await redis.del(...(await redis.keys(`{void:${realm}}*`)));
    await process.log.sweep();
    expect(await last()).toBe(2);
    expect(await floor()).toBe(2);
    const client = await TestClient.register(process, realm);
    await process.change(realm, 2);
    expect(await client.collect(process, 2)).toEqual([1, 2]);
  });

  it('does not affect queues that were registered later', async () => {
    const process = await startProcess();
    await writeRefused(process);
    const client = await TestClient.register(process, realm);
    await process.change(realm, 1);
    await sweepUntil(process, 2);
    expect(await client.collect(process, 1)).toEqual([1]);
  });
});
