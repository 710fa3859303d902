import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { isProcessRunning } from '../node-only/process-identity.mjs';
import {
  findLocalServices,
  LocalServicesError,
  LocalServicesInUseError,
  resetLocalServices,
  startLocalServices,
  type LocalServices,
} from '../src/index.js';
import { createPostgresMemorySettings, readUsableMemoryBytes } from '../src/memory-settings.js';
import { query, Scratch } from './fixture/temporary-folders.js';
import { Seed } from './fixture/prepared-data-folder.js';

const scratch = new Scratch();
const seed = new Seed();
afterEach(() => scratch.clear());
afterAll(() => seed.remove());

const log = (): void => undefined;

/** Creates a data folder in which the local servers have already run. */
async function usedFolder(): Promise<string> {
  const folder = scratch.folder();
  await seed.plant(folder);
  return folder;
}

function start(
  dataFolder: string,
  options: Partial<Parameters<typeof startLocalServices>[0]> = {},
): Promise<LocalServices> {
  return scratch.keep(startLocalServices({ dataFolder, log, ...options }));
}

async function withRedis<T>(url: string, run: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await run(redis);
  } finally {
    await redis.quit();
  }
}

/** Sends a command to a Redis server without a password and returns the response. */
function say(port: number, command: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      resolve(chunk.toString());
      socket.destroy();
    });
    socket.write(`${command}\r\n`);
  });
}

describe('startLocalServices', () => {
  it('runs PostgreSQL 18 and Redis on 127.0.0.1, below the ephemeral ports', async () => {
    const folder = scratch.folder();
    const services = await start(folder);
    const url = services.postgresUrl('postgres');
    const setting = (name: string): string => `current_setting('${name}') AS ${name}`;
    const [row] = await query(
      url,
      `SELECT ${['server_version', 'data_directory', 'listen_addresses', 'unix_socket_directories', 'fsync'].map(setting).join(', ')}`,
    );
    expect(row).toMatchObject({
      server_version: expect.stringMatching(/^18\./),
      data_directory: join(folder, 'postgres'),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'on',
    });
    for (const address of [url, services.redisUrl]) expect(Number(new URL(address).port)).toBeLessThan(32_768);
    const [, appendOnly] = await withRedis(
      services.redisUrl,
      (redis) => redis.config('GET', 'appendonly') as Promise<string[]>,
    );
    expect(appendOnly).toBe('yes');
  });

  it('requires generated passwords, which only their owner can read', async () => {
    const folder = scratch.folder();
    const services = await start(folder);
    const wrong = services.postgresUrl('postgres').replace(/postgres:[^@]+@/, 'postgres:wrong@');
    await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    expect(await say(Number(new URL(services.redisUrl).port), 'PING')).toMatch(/^-NOAUTH/);
    for (const file of ['credentials.json', 'redis/redis.conf'])
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('retains data, addresses and passwords between starts', async () => {
    const folder = await usedFolder();
    const first = await start(folder);
    await query(first.postgresUrl('postgres'), 'CREATE TABLE kept AS SELECT 7 AS value');
    await withRedis(first.redisUrl, (redis) => redis.set('kept', '7'));
    await first.stop();
    const second = await start(folder);
    expect(second.postgresUrl('postgres')).toBe(first.postgresUrl('postgres'));
    expect(second.redisUrl).toBe(first.redisUrl);
    expect(await query(second.postgresUrl('postgres'), 'SELECT value FROM kept')).toEqual([{ value: 7 }]);
    expect(await withRedis(second.redisUrl, (redis) => redis.get('kept'))).toBe('7');
  });

  it('sizes PostgreSQL memory by the machine', async () => {
    const services = await start(await usedFolder());
    const wanted = createPostgresMemorySettings(readUsableMemoryBytes());
    const rows = await query(
      services.postgresUrl('postgres'),
      `SELECT name, setting::bigint * CASE unit WHEN '8kB' THEN 8 WHEN 'MB' THEN 1024 ELSE 1 END / 1024 || 'MB' AS value
       FROM pg_settings WHERE name IN ('${Object.keys(wanted).join("', '")}')`,
    );
    expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toEqual(wanted);
  });

  it('leaves no process after stop, which can be called twice', async () => {
    const services = await start(await usedFolder());
    await Promise.all([services.stop(), services.stop()]);
    for (const pid of Object.values(services.pids)) expect(isProcessRunning(pid)).toBe(false);
  });

  it('rejects a second start with the same folder, while findLocalServices connects to the running servers', async () => {
    const folder = await usedFolder();
    const services = await start(folder);
    await expect(startLocalServices({ dataFolder: folder, log })).rejects.toThrow(LocalServicesInUseError);
    await expect(resetLocalServices({ dataFolder: folder, log })).rejects.toThrow(LocalServicesInUseError);
    expect(findLocalServices(folder)?.postgresUrl('x')).toBe(services.postgresUrl('x'));
    await services.stop();
    expect(findLocalServices(folder)).toBeNull();
  });

  it('uses other ports when the stored ports are taken', async () => {
    const folder = await usedFolder();
    const first = await start(folder);
    const other = await usedFolder();
    writeFileSync(
      join(other, 'endpoints.json'),
      JSON.stringify({
        postgresPort: Number(new URL(first.postgresUrl('x')).port),
        redisPort: Number(new URL(first.redisUrl).port),
      }),
    );
    const second = await start(other);
    expect(await query(second.postgresUrl('postgres'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(new URL(second.redisUrl).port).not.toBe(new URL(first.redisUrl).port);
  });

  it('replaces a partial data folder', async () => {
    const folder = scratch.folder();
    mkdirSync(join(folder, 'postgres.new-1-1/cluster/base'), { recursive: true });
    const first = await start(folder, { redis: false });
    await first.stop();
    expect(existsSync(join(folder, 'postgres.new-1-1'))).toBe(false);
    // A data directory without its version file is incomplete.
    rmSync(join(folder, 'postgres/PG_VERSION'));
    const second = await start(folder, { redis: false });
    expect(await query(second.postgresUrl('postgres'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts with empty data, without fsync, and with fast password hashing, when the option durable is false', async () => {
    const folder = scratch.folder();
    const first = await start(folder, { durable: false });
    await query(first.postgresUrl('postgres'), 'CREATE TABLE gone ()');
    await first.stop();
    const second = await start(folder, { durable: false });
    const [row] = await query(
      second.postgresUrl('postgres'),
      `SELECT to_regclass('gone') AS gone, current_setting('fsync') AS fsync,
         (SELECT split_part(rolpassword, ':', 1) FROM pg_authid WHERE rolname = 'postgres') AS hash`,
    );
    expect(row).toEqual({ gone: null, fsync: 'off', hash: 'SCRAM-SHA-256$1' });
  });

  it('starts PostgreSQL without Redis, and Redis without PostgreSQL', async () => {
    const services = await start(scratch.folder(), { postgres: false });
    expect(services.pids).toEqual({ redis: expect.any(Number) });
    expect(() => services.postgresUrl('x')).toThrow(LocalServicesError);
  });

  it('calls back when a server ends unexpectedly', async () => {
    const ended: string[] = [];
    const services = await start(scratch.folder(), { postgres: false, onExit: (service) => ended.push(service) });
    process.kill(services.pids.redis ?? 0, 'SIGKILL');
    await expect.poll(() => ended).toEqual(['Redis']);
  });

  it('throws an error when the passwords of existing data are lost', async () => {
    const folder = scratch.folder();
    await (await start(folder, { redis: false })).stop();
    rmSync(join(folder, 'credentials.json'));
    await expect(startLocalServices({ dataFolder: folder, log })).rejects.toThrow(
      /credentials\.json is missing.*--reset/,
    );
    await resetLocalServices({ dataFolder: folder, log });
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
  });
});
