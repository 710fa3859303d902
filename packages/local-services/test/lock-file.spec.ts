import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { acquireLock, findLockHolder } from '../node-only/lock-file.mjs';
import { readCommandLine, isProcessRunning, readProcessStartTime } from '../node-only/process-identity.mjs';
import { Scratch } from './fixture/temporary-folders.js';

const scratch = new Scratch();
afterEach(() => scratch.clear());

const lockModule = join(import.meta.dirname, '../node-only/lock-file.mjs');

function deadLock(path: string, holder: object = {}): void {
  writeFileSync(
    path,
    JSON.stringify({ pid: 2 ** 22 - 1, startTime: 'long ago', purpose: 'test', nonce: 'dead', ...holder }),
  );
}

/**
 * Starts another process that tries to acquire the lock file. The process prints whether it has acquired the lock, and
 * runs until a kill.
 */
function contender(path: string): Promise<{ won: boolean; end: () => boolean }> {
  const code = `import { acquireLock } from ${JSON.stringify(lockModule)};
    const lock = await acquireLock(${JSON.stringify(path)}, 'contender');
    console.log('holder' in lock ? 'lost' : 'won');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => {
      resolve({ won: chunk.toString().startsWith('won'), end: () => child.kill('SIGKILL') });
    });
  });
}

describe('lock file', () => {
  it('excludes other processes until its owner releases the lock', async () => {
    const path = join(scratch.folder(), 'lock');
    const lock = await acquireLock(path, 'first');
    expect(await acquireLock(path, 'second')).toMatchObject({ holder: { pid: process.pid, purpose: 'first' } });
    if ('release' in lock) lock.release();
    expect(existsSync(path)).toBe(false);
    expect(await acquireLock(path, 'third')).toHaveProperty('release');
  });

  it('replaces the lock of a dead process', async () => {
    const path = join(scratch.folder(), 'lock');
    deadLock(path);
    expect(findLockHolder(path)).toBeNull();
    expect(await acquireLock(path, 'heir')).toHaveProperty('release');
  });

  it('replaces the lock of a dead process whose pid was reused', async () => {
    const path = join(scratch.folder(), 'lock');
    deadLock(path, { pid: scratch.bystander().pid });
    expect(await acquireLock(path, 'heir')).toHaveProperty('release');
  });

  it('replaces a lock whose file is unreadable', async () => {
    const path = join(scratch.folder(), 'lock');
    writeFileSync(path, '{"pid":');
    expect(await acquireLock(path, 'heir')).toHaveProperty('release');
  });

  it('belongs to only one of eight processes that concurrently detect an outdated lock', async () => {
    const path = join(scratch.folder(), 'lock');
    deadLock(path);
    const contenders = await Promise.all(Array.from({ length: 8 }, () => contender(path)));
    for (const one of contenders) one.end();
    expect(contenders.filter(({ won }) => won)).toHaveLength(1);
  });
});

describe('readProcessStartTime and readCommandLine', () => {
  it('return start time and command line, or null for a nonexistent process', () => {
    const { pid } = scratch.bystander();
    expect(readProcessStartTime(pid)).toBe(readProcessStartTime(pid));
    expect(readCommandLine(pid)).toBe('sleep 60');
    expect(readProcessStartTime(2 ** 22 - 1)).toBeNull();
  });

  it('treats a zombie process as ended', async () => {
    // The first child of the shell becomes a zombie, because the shell has been replaced by `sleep`.
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const pid = Number(
      await new Promise<string>((resolve) => parent.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))),
    );
    await expect.poll(() => isProcessRunning(pid)).toBe(false);
    parent.kill('SIGKILL');
  });
});
