// @ts-check
/**
 * Lock file of one process, which contains the pid and the start time of the process. If the process was killed,
 * another process recognizes the file as stale and takes over the lock. This module is plain JavaScript without
 * dependencies, because the entry script uses the module before packages are installed or built.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readProcessStartTime } from './process-identity.mjs';

/** @typedef {{ pid: number, startTime: string, purpose: string, nonce: string }} LockHolder */

const lockTakeoverDelayMs = 60;

/**
 * @param {string} path
 * @returns {LockHolder | null} owner named in the file, running or not; null if the file is missing or invalid
 */
function readLockHolder(path) {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8'));
    return Number.isInteger(holder?.pid) && typeof holder?.nonce === 'string' ? holder : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} path
 * @returns {LockHolder | null} the living process that has the lock
 */
export function findLockHolder(path) {
  const holder = readLockHolder(path);
  return holder !== null && readProcessStartTime(holder.pid) === holder.startTime ? holder : null;
}

/**
 * Creates a lock file with its complete content or not at all, so that a reader never reads a partial file. Returns
 * false if the file already exists.
 *
 * @param {string} path
 * @param {LockHolder} holder
 */
function createLockFileAtomically(path, holder) {
  const draft = `${path}.${holder.nonce}`;
  writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o644 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes the lock file of a dead process. If another process took the lock meanwhile, that process's file is moved
 * back to its path.
 * @param {string} path
 * @param {LockHolder | null} dead
 */
function removeLockOfDeadProcess(path, dead) {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readLockHolder(aside)?.nonce !== dead?.nonce) linkSync(aside, path);
  } catch {
    // The file was removed or replaced meanwhile. The next attempt reads its new state.
  }
  rmSync(aside, { force: true });
}

/**
 * @param {string} path the lock file; its folder exists
 * @param {string} purpose description of the owner's task, shown to processes that do not get the lock
 * @returns {Promise<{ release(): void } | { holder: LockHolder }>} the lock, or the living process that has it
 */
export async function acquireLock(path, purpose) {
  const startTime = readProcessStartTime(process.pid) ?? 'unknown';
  const mine = { pid: process.pid, startTime, purpose, nonce: randomUUID() };
  for (let tookOver = false; ; tookOver = true) {
    if (createLockFileAtomically(path, mine)) {
      // After a takeover, two processes may briefly both seem to own the lock. The file names the actual owner.
      if (tookOver) await delay(lockTakeoverDelayMs);
      if (readLockHolder(path)?.nonce === mine.nonce) return { release: () => releaseLock(path, mine.nonce) };
    }
    const holder = findLockHolder(path);
    if (holder !== null) return { holder };
    removeLockOfDeadProcess(path, readLockHolder(path));
  }
}

/**
 * @param {string} path
 * @param {string} nonce
 */
function releaseLock(path, nonce) {
  if (readLockHolder(path)?.nonce === nonce) rmSync(path, { force: true });
}
