// @ts-check
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dataFolderPath, joinDataPath, createFolderForAllUsers } from './data-folder-paths.mjs';
import { ExplainedCommandError } from './progress-step.mjs';

/** @typedef {{ encryptionKeys: string, peppers: string }} AppSecrets */
/** @typedef {{ chat: AppSecrets, inventory: AppSecrets & { demoAdminToken: string } }} Secrets */

const alphanumericCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Returns a random text of letters and digits with the given length.
 * @param {number} length
 */
function createRandomText(length) {
  return Array.from({ length }, () => alphanumericCharacters[randomInt(alphanumericCharacters.length)]).join('');
}

/**
 * Generates the development secrets of one app.
 *
 * @returns {AppSecrets} secrets in the format of the apps' configuration: `id:base64` of 32 bytes, and `id:secret`
 */
function generateAppSecrets() {
  return {
    encryptionKeys: `dev1:${randomBytes(32).toString('base64')}`,
    peppers: `1:${createRandomText(50)}`,
  };
}

/** Returns the path of the file with the development secrets. */
export function getDevelopmentSecretsPath() {
  return joinDataPath('secrets.json');
}

/**
 * Loads the development secrets. The secrets are created at the first start, in a file that only the owner of the file
 * can read.
 *
 * @returns {Secrets}
 */
export function loadDevelopmentSecrets() {
  const file = getDevelopmentSecretsPath();
  if (existsSync(file)) {
    try {
      const found = JSON.parse(readFileSync(file, 'utf8'));
      if (found.chat.encryptionKeys && found.inventory.demoAdminToken) return found;
    } catch {
      // The error below also covers a file that is valid JSON but lacks a secret.
    }
    throw new ExplainedCommandError(
      `${file} contains no valid secrets. Restore it, or remove all data with: npm start -- --reset`,
    );
  }
  createFolderForAllUsers(dataFolderPath);
  /** @type {Secrets} */
  const made = {
    chat: generateAppSecrets(),
    inventory: { ...generateAppSecrets(), demoAdminToken: `nbt_${createRandomText(12)}.${createRandomText(40)}` },
  };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return made;
}
