// @ts-check
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of the repository's root folder. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * Folder for all data that a start creates, ignored by git. SWITCHBOARD_DATA overrides it, for example for a temporary
 * start.
 */
export const dataFolderPath = process.env.SWITCHBOARD_DATA || join(repositoryRoot, '.data');

/**
 * Joins path parts below the data folder.
 *
 * @param {...string} parts
 * @returns {string}
 */
export function joinDataPath(...parts) {
  return join(dataFolderPath, ...parts);
}

/**
 * Creates a folder that other users can enter, regardless of the umask, because PostgreSQL runs as another user if
 * started by root.
 *
 * @param {string} folder
 */
export function createFolderForAllUsers(folder) {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
}
