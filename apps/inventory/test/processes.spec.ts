import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { openTestRedis } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isProcessRunning } from '../../../packages/local-services/node-only/process-identity.mjs';
import { RequestLoad, SupervisedService } from '../../../packages/platform/test/supervised-service.js';
import { inventoryDatabase } from './support/test-service.js';

const redis = openTestRedis();
let database: Awaited<ReturnType<typeof inventoryDatabase>>;
let service: SupervisedService;

beforeAll(async () => {
  database = await inventoryDatabase();
  service = new SupervisedService(join(import.meta.dirname, '../dist/bundle.js'), {
    PROCESSES: '2',
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: redis.prefix,
    MEDIA_ROOT: tmpdir(),
  });
  await service.isReady();
});

afterAll(async () => {
  await service?.kill();
  await redis.cleanup();
  await database?.release();
});

describe('bundle of the inventory service with PROCESSES=2', () => {
  it('replaces all processes on SIGHUP without a failed request', async () => {
    const before = await service.pids();
    const load = new RequestLoad(`${service.url}/api/status/`);
    service.signal('SIGHUP');
    await service.logs('all processes are replaced');
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.count).toBeGreaterThan(0);
    const after = await service.pids();
    expect(after).toHaveLength(2);
    expect(before.filter((pid) => after.includes(pid) || isProcessRunning(pid))).toEqual([]);
  });

  it('stops all processes on SIGTERM with exit code 0', async () => {
    const pids = await service.pids();
    expect(pids).toHaveLength(2);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(pids.filter(isProcessRunning)).toEqual([]);
  });
});
