import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isProcessRunning } from '../node-only/process-identity.mjs';
import { startLocalServices } from '../src/index.js';
import { compilePackage, killHard, query, Scratch } from './fixture/temporary-folders.js';
import { Seed } from './fixture/prepared-data-folder.js';

const scratch = new Scratch();
beforeAll(compilePackage);
const seed = new Seed();
afterEach(() => scratch.clear());
afterAll(() => seed.remove());

const log = (): void => undefined;

describe('startLocalServices after a killed start', () => {
  it('starts with all data of the killed start', async () => {
    const folder = scratch.folder();
    await seed.plant(folder);
    const held = await scratch.hold(folder);
    await query(held.postgresUrl, 'CREATE TABLE kept AS SELECT 7 AS value');
    const redis = new Redis(held.redisUrl);
    await redis.set('kept', '7');
    redis.disconnect();
    await killHard(held.child);
    expect(isProcessRunning(held.pids.postgres)).toBe(true);
    expect(isProcessRunning(held.pids.redis)).toBe(true);

    const lines: string[] = [];
    const services = await scratch.keep(startLocalServices({ dataFolder: folder, log: (line) => lines.push(line) }));
    expect(isProcessRunning(held.pids.postgres)).toBe(false);
    expect(isProcessRunning(held.pids.redis)).toBe(false);
    expect(lines.join('\n')).toContain(`Stopped PostgreSQL (process ${held.pids.postgres})`);
    expect(await query(services.postgresUrl('postgres'), 'SELECT value FROM kept')).toEqual([{ value: 7 }]);
    const again = new Redis(services.redisUrl);
    expect(await again.get('kept')).toBe('7');
    await again.quit();
  });

  it('ends servers that the killed start left', async () => {
    const folder = scratch.folder();
    await seed.plant(folder);
    const held = await scratch.hold(folder);
    await query(held.postgresUrl, 'CREATE TABLE kept AS SELECT 7 AS value');
    for (const pid of Object.values(held.pids)) process.kill(pid, 'SIGKILL');
    await killHard(held.child);
    const services = await scratch.keep(startLocalServices({ dataFolder: folder, log }));
    expect(await query(services.postgresUrl('postgres'), 'SELECT value FROM kept')).toEqual([{ value: 7 }]);
  });

  it('removes a partial data directory of initdb', async () => {
    const folder = scratch.folder();
    const script = join(import.meta.dirname, 'fixture/hold-services.mjs');
    const child = spawn(process.execPath, [script, folder], { stdio: 'ignore' });
    await expect
      .poll(() => readdirSync(folder).some((name) => name.startsWith('postgres.new-')), {
        interval: 5,
        timeout: 10_000,
      })
      .toBe(true);
    await killHard(child);
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
    const services = await scratch.keep(startLocalServices({ dataFolder: folder, log }));
    expect(await query(services.postgresUrl('postgres'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(readdirSync(folder).filter((name) => name.startsWith('postgres.new-'))).toEqual([]);
  });

  it('does not end another program with a reused pid', async () => {
    const folder = scratch.folder();
    await seed.plant(folder);
    await (await startLocalServices({ dataFolder: folder, log })).stop();
    const bystander = scratch.bystander();
    writeFileSync(
      join(folder, 'postgres/postmaster.pid'),
      `${bystander.pid}\n${folder}/postgres\n1\n1\n\n127.0.0.1\n\nready\n`,
    );
    mkdirSync(join(folder, 'redis'), { recursive: true });
    writeFileSync(join(folder, 'redis/redis.pid'), `${bystander.pid}\n`);
    await scratch.keep(startLocalServices({ dataFolder: folder, log }));
    expect(isProcessRunning(bystander.pid)).toBe(true);
  });
});
