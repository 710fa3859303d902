import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { faultPoints, createCrashListener, type FaultPoint } from '../src/index.js';
import { range, readThings, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { sleep, uniqueName, until } from './queue-test-support.js';
import { closeStoredLogs, openStoredLog, type StoredLog } from './stored-log.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let openLog: (prefix: string, realm: string) => StoredLog;
let prefix: string;
let realm: string;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  openLog = openStoredLog(pool);
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.outbox, queue.event_log');
  prefix = uniqueName();
  realm = uniqueName();
});
afterEach(() => stopAll());
afterAll(async () => {
  closeStoredLogs();
  await drop();
});

/**
 * Creates a process that stops forever when it reaches a fault point. All work before the fault point is done, and no
 * work after the fault point.
 */
async function startProcessToKill(point: FaultPoint): Promise<{ process: TestProcess; died: () => boolean }> {
  let dead = false;
  const faultPoint = createCrashListener({ name: point, nth: 1 }, () => {
    dead = true;
    throw new Error(`died at ${point}`);
  });
  const process = new TestProcess(pool, prefix, { faultPoint, rowRetentionMs: 0 });
  await process.log.waitUntilStoreResponds();
  return { process, died: () => dead };
}

async function startSecondProcess(): Promise<TestProcess> {
  const process = new TestProcess(pool, prefix);
  await process.log.waitUntilStoreResponds();
  return process;
}

describe('createCrashListener', () => {
  it('kills the process when the process reaches the fault point for the nth time', () => {
    const kills: string[] = [];
    const faultPoint = createCrashListener({ name: 'event-log.after-c', nth: 2 }, () => kills.push('killed'));
    for (const name of [...faultPoints, 'delivery.before-send']) faultPoint(name);
    expect(kills).toEqual([]);
    faultPoint('event-log.after-c');
    expect(kills).toEqual(['killed']);
    faultPoint('event-log.after-c');
    expect(kills).toEqual(['killed']);
  });
});

describe('dispatcher that is killed', () => {
  it.each(['event-log.after-a', 'event-log.after-b', 'event-log.after-c'] as const)(
    'loses no event at %s, which another process delivers once and in order (I1, I2, I7)',
    async (point) => {
      const [{ process, died }, other] = [await startProcessToKill(point), await startSecondProcess()];
      const client = await TestClient.register(other, realm);
      await process.change(realm, 1);
      await until(died);
      await other.change(realm, 2);
      await other.log.sweep();
      expect(await client.collect(other, 2)).toEqual([1, 2]);
      await other.log.sweep();
      expect(await client.poll(other)).toEqual([]);
      expect(client.received.map((event) => event.id)).toEqual([100, 200]);
    },
  );

  it('leaves appended rows at event-log.before-d, and a later maintenance run deletes the rows (I4)', async () => {
    const [{ process, died }, other] = [await startProcessToKill('event-log.before-d'), await startSecondProcess()];
    const client = await TestClient.register(other, realm);
    for (const n of range(1, 4)) await other.change(realm, n);
    await client.collect(other, 3);
    const rows = async (): Promise<number> => (await pool.query('SELECT 1 FROM queue.outbox')).rows.length;
    await process.log.sweep();
    await sleep(5);
    // An error in the sweep of one realm does not reject the call.
    await process.log.sweep();
    expect(died()).toBe(true);
    expect(await rows()).toBe(3);
    await process.log.sweep();
    expect(await rows()).toBe(0);
    expect((await openLog(prefix, realm).entries()).length).toBeLessThanOrEqual(3);
    await other.change(realm, 4);
    expect(await client.collect(other, 4)).toEqual(range(1, 5));
  });
});

describe('registration whose process is killed', () => {
  it.each(['event-log.between-2-and-3', 'event-log.between-3-and-4'] as const)(
    'leaves an unused record at %s, which a maintenance run removes later',
    async (point) => {
      const [{ process }, other] = [await startProcessToKill(point), await startSecondProcess()];
      await other.change(realm, 1);
      const options = { realm, owner: '1', idleTimeoutSeconds: 60, filter: {}, capabilities: {} };
      await expect(process.log.register(options, readThings(realm))).rejects.toThrow(`died at ${point}`);
      const stored = openLog(prefix, realm);
      const [left = ''] = await stored.listQueues();
      expect((await stored.findQueue(left))?.state).toBe('registering');
      const client = await TestClient.register(other, realm);
      await other.change(realm, 2);
      expect(await client.collect(other, 2)).toEqual([1, 2]);
      // Sets its lifetime of two minutes as expired.
      await stored.changeQueue(left, { expiresAtMs: 1 });
      await other.log.sweep();
      expect(await stored.findQueue(left)).toBeNull();
      expect(await stored.listQueues()).toEqual([client.queueId]);
    },
  );
});
