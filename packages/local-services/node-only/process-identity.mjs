// @ts-check
/**
 * Identifies processes by pid and start time. This module is plain JavaScript without dependencies, because the entry
 * script uses the module before packages are installed or built.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @type {string | undefined} */
let cachedBootId;

/**
 * Returns the id of the current boot of a Linux machine. Process start times count from the boot, so that a start time
 * identifies a process only together with the boot id.
 */
function readBootId() {
  try {
    cachedBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    cachedBootId = 'boot';
  }
  return cachedBootId;
}

/**
 * @param {number} pid
 * @returns {string | null}
 */
function readLinuxStartTime(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may contain spaces, so fields are counted after it
    // (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    // A zombie uses no resources and cannot be killed. In containers it may never be reaped.
    return state === 'Z' || state === 'X' ? null : `${readBootId()}:${fields[19]}`;
  } catch {
    return null;
  }
}

/**
 * @param {string} format
 * @param {number} pid
 * @returns {string | null}
 */
function runPsCommand(format, pid) {
  try {
    const options = { encoding: /** @type {const} */ ('utf8'), env: { PATH: process.env.PATH, LC_ALL: 'C' } };
    const line = execFileSync('ps', ['-ww', '-o', format, '-p', String(pid)], {
      ...options,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return line.trim() || null;
  } catch {
    return null;
  }
}

/**
 * Returns the start time of a process as a text that no later process with the same pid has.
 *
 * @param {number} pid
 * @returns {string | null} null if no process with the pid runs (a zombie counts as not running)
 */
export function readProcessStartTime(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform === 'linux') return readLinuxStartTime(pid);
  const line = runPsCommand('stat=,lstart=', pid);
  return line === null || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
}

/**
 * @param {number} pid
 * @returns {boolean} true if the process runs; a zombie process counts as ended
 */
export function isProcessRunning(pid) {
  return readProcessStartTime(pid) !== null;
}

/**
 * @param {number} pid
 * @returns {string | null} program and arguments, joined by spaces; null when it cannot be read
 */
export function readCommandLine(pid) {
  if (process.platform !== 'linux') return runPsCommand('command=', pid);
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || null;
  } catch {
    return null;
  }
}
