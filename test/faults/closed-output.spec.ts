import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { reserveLocalPort } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pause } from './abortable-pause.js';
import { type StoreAddresses, sharedStores } from './stores/stores.js';

const root = resolve(import.meta.dirname, '../..');
/** Time limit for the shutdown of a service process, in milliseconds. */
const shutdownMs = 4_000;
/** Additional time that a process gets to end on a busy machine, in milliseconds. */
const slackMs = 10_000;
const children: ChildProcess[] = [];
let stores: StoreAddresses;

beforeAll(async () => {
  stores = await sharedStores('output', ['inventory']);
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/**
 * Starts a service process that logs as much as possible to pipes that no process reads. The test starts only one
 * service, because chat and inventory log in the same way.
 */
async function start(): Promise<{ child: ChildProcess; port: number }> {
  const port = await reserveLocalPort();
  const child = spawn(process.execPath, [join(root, 'apps/inventory/dist/bundle.js')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'development',
      LOG_LEVEL: 'trace',
      PORT: String(port),
      SHUTDOWN_TIMEOUT_MS: String(shutdownMs),
      DATABASE_URL: stores.databaseUrl('inventory'),
      REDIS_URL: stores.redisUrl,
      REDIS_KEY_PREFIX: stores.prefix,
    },
  });
  children.push(child);
  child.stdout?.resume();
  child.stderr?.resume();
  while (child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    if (response?.status === 200) return { child, port };
    await pause(50);
  }
  throw new Error(`it ended with ${child.exitCode}`);
}

/**
 * Sends SIGTERM to a process. Returns the exit code and signal of the process, or null if the process did not end in
 * time.
 */
async function end(child: ChildProcess): Promise<{ code: number | null; signal: string | null } | null> {
  const ended = new Promise<{ code: number | null; signal: string | null }>((done) => {
    child.once('exit', (code, signal) => done({ code, signal }));
  });
  if (child.exitCode !== null) return { code: child.exitCode, signal: child.signalCode };
  child.kill('SIGTERM');
  return Promise.race([ended, pause(shutdownMs + slackMs).then(() => null)]);
}

describe('service whose standard output is closed or not read', () => {
  it('continues and stops in time when its output is closed', async () => {
    const { child, port } = await start();
    child.stdout?.destroy();
    child.stderr?.destroy();
    // Each request writes log lines to the closed pipe.
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => (await fetch(`http://127.0.0.1:${port}/health/live`)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await end(child)).toEqual({ code: 0, signal: null });
  }, 60_000);

  it('stops in time when its output is not read', async () => {
    const { child, port } = await start();
    child.stdout?.pause();
    child.stderr?.pause();
    // Writes more log lines than the pipe's buffer can take. When the buffer is full, the process stops responding.
    let responded = 0;
    for (let request = 0; request < 2_000; request += 1) {
      void fetch(`http://127.0.0.1:${port}/nowhere`).then(
        () => (responded += 1),
        () => undefined,
      );
    }
    let before: number;
    do {
      before = responded;
      await pause(500);
    } while (responded === 0 || responded > before);
    expect(await end(child)).toEqual({ code: 0, signal: null });
  }, 60_000);
});
