// @ts-check
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Everything that a run leaves behind and git ignores. SWITCHBOARD_DATA puts it elsewhere (a throw-away run). */
export const dataFolder = process.env.SWITCHBOARD_DATA || join(root, '.data');

/**
 * @param {...string} parts
 * @returns {string} a path below the data folder
 */
export function dataPath(...parts) {
  return join(dataFolder, ...parts);
}

/**
 * Makes a folder that others may pass through, whatever the umask: PostgreSQL of root runs as another user.
 * @param {string} folder
 */
export function makeOpenFolder(folder) {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
}
