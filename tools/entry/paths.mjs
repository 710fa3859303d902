// @ts-check
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Folder for all data of a run, ignored by git. SWITCHBOARD_DATA overrides it, for example for a temporary run. */
export const dataFolder = process.env.SWITCHBOARD_DATA || join(root, '.data');

/**
 * Returns a path below the data folder.
 * @param {...string} parts
 * @returns {string} a path below the data folder
 */
export function dataPath(...parts) {
  return join(dataFolder, ...parts);
}

/**
 * Creates a folder that other users can enter, whatever the umask: if started by root, PostgreSQL runs as another user.
 * @param {string} folder
 */
export function makeOpenFolder(folder) {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
}
