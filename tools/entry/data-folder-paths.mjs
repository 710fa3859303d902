// @ts-check
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of the repository's root folder. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * Path of the folder for all data that `npm start` creates. Git ignores the folder. The environment variable
 * SWITCHBOARD_DATA selects another folder, for example for a temporary start.
 */
export const dataFolderPath = process.env.SWITCHBOARD_DATA || join(repositoryRoot, '.data');

/**
 * Returns the path of a file or folder below the data folder, given the parts of its path.
 *
 * @param {...string} parts
 * @returns {string}
 */
export function joinDataPath(...parts) {
  return join(dataFolderPath, ...parts);
}

/**
 * Creates a folder that other users can enter, regardless of the umask, because PostgreSQL runs under another user if
 * root starts the service.
 *
 * @param {string} folder
 */
export function createFolderForAllUsers(folder) {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
}
