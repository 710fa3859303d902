// @ts-check
import { join } from 'node:path';
import { repositoryRoot } from './data-folder-paths.mjs';
import { ExplainedCommandError } from './progress-step.mjs';

/** @typedef {'chat' | 'inventory'} AppName */
/**
 * Definition of a service. `dataFolders` contains the names of the service's folders below the data folder. Its keys
 * are the environment variables that select another folder.
 * @typedef {{ name: AppName, portVariable: string, defaultPort: number, databaseVariable: string, database: string, folder: string, dataFolders: Record<string, string> }} App
 */

/** @type {Record<AppName, App>} */
export const appDefinitionByName = {
  chat: {
    name: 'chat',
    portVariable: 'CHAT_PORT',
    defaultPort: 9991,
    databaseVariable: 'DATABASE_URL_CHAT',
    database: 'switchboard_chat',
    folder: join(repositoryRoot, 'apps/chat/dist'),
    dataFolders: { UPLOADS_DIR: 'chat-files', MAIL_FOLDER: 'mail' },
  },
  inventory: {
    name: 'inventory',
    portVariable: 'INVENTORY_PORT',
    defaultPort: 8000,
    databaseVariable: 'DATABASE_URL_INVENTORY',
    database: 'switchboard_inventory',
    folder: join(repositoryRoot, 'apps/inventory/dist'),
    dataFolders: { MEDIA_ROOT: 'inventory-media', RESPONSE_FOLDER: 'inventory-responses' },
  },
};

/**
 * Returns the definition of the app with a name, or null for an unknown name.
 * @param {string} name
 * @returns {App | null}
 */
export function findAppDefinition(name) {
  return name === 'chat' || name === 'inventory' ? appDefinitionByName[name] : null;
}

/**
 * Returns the port of an app: the value of the app's port variable in the environment, or the app's default port.
 *
 * @param {App} app
 * @param {NodeJS.ProcessEnv} env
 * @returns {number}
 */
export function getAppPort(app, env) {
  const text = env[app.portVariable] || String(app.defaultPort);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new ExplainedCommandError(`${app.portVariable} is "${text}"; it has to be a port between 1 and 65535.`);
  }
  return port;
}

/**
 * Returns the address on which both services listen: the value of the environment variable HOST, or the loopback
 * address.
 */
export function getAppHost(/** @type {NodeJS.ProcessEnv} */ env) {
  return env.HOST || '127.0.0.1';
}
