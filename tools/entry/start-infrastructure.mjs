// @ts-check
import { dataFolderPath } from './data-folder-paths.mjs';
import { importLocalServices } from './set-up-repository.mjs';
import { printLineAboveProgress, runStepWithProgress } from './progress-step.mjs';

/**
 * Addresses of PostgreSQL and Redis, with a function that stops the servers which this process has started.
 * @typedef {{
 *   databaseUrl(app: import('./app-definitions.mjs').App): string,
 *   redisUrl(): string,
 *   serviceFolder: string | null,
 *   pids: { postgres?: number, redis?: number },
 *   stop(): Promise<void>,
 * }} Infrastructure
 */

/**
 * Decides for PostgreSQL and for Redis if the server must be started. A server must be started if the environment
 * contains no address.
 *
 * @param {import('./app-definitions.mjs').App[]} wanted
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ postgres: boolean, redis: boolean }} true for each server to start
 */
function listDatabaseServersToStart(wanted, env) {
  return { postgres: wanted.some((app) => !env[app.databaseVariable]), redis: !env.REDIS_URL };
}

/**
 * Returns the addresses of PostgreSQL and Redis from the environment variables. If a variable is missing, returns the
 * address of the started server.
 *
 * @param {import('../../packages/local-services/dist/index.js').LocalServiceAddresses | null} services
 * @param {NodeJS.ProcessEnv} env
 * @returns {Pick<Infrastructure, 'databaseUrl' | 'redisUrl'>}
 */
function getDatabaseServerAddresses(services, env) {
  return {
    databaseUrl: (app) => env[app.databaseVariable] || services?.postgresUrl(app.database) || '',
    redisUrl: () => env.REDIS_URL || services?.redisUrl || '',
  };
}

/**
 * Returns the description of PostgreSQL and Redis servers that this process has not started and does not stop.
 *
 * @returns {Infrastructure} description of these external servers
 */
function describeExternalInfrastructure(/** @type {Pick<Infrastructure, 'databaseUrl' | 'redisUrl'>} */ known) {
  return { ...known, serviceFolder: null, pids: {}, stop: async () => undefined };
}

/**
 * Starts PostgreSQL and Redis unless the environment contains their addresses: DATABASE_URL of each app, and REDIS_URL.
 *
 * @param {import('./app-definitions.mjs').App[]} wanted
 * @param {NodeJS.ProcessEnv} env
 * @param {(service: string, tail: string) => void} onExit function that is called when a server exits unexpectedly
 * @returns {Promise<Infrastructure>}
 */
export async function startPostgresAndRedis(wanted, env, onExit) {
  const missing = listDatabaseServersToStart(wanted, env);
  if (!missing.postgres && !missing.redis) return describeExternalInfrastructure(getDatabaseServerAddresses(null, env));
  const { startLocalServices } = await importLocalServices();
  const names = [missing.postgres ? 'PostgreSQL' : '', missing.redis ? 'Redis' : ''].filter(Boolean).join(' and ');
  const services = await runStepWithProgress(`Starting ${names}`, () =>
    startLocalServices({
      dataFolder: dataFolderPath,
      log: (line) => printLineAboveProgress(`  ${line}`),
      onExit,
      ...(missing.postgres ? {} : { postgres: false }),
      ...(missing.redis ? {} : { redis: false }),
    }),
  );
  const { serviceFolder, pids } = services;
  return { ...getDatabaseServerAddresses(services, env), serviceFolder, pids, stop: () => services.stop() };
}

/**
 * Returns the PostgreSQL and Redis servers of a running `npm start`. Otherwise starts servers for the duration of the
 * command.
 *
 * @param {import('./app-definitions.mjs').App} app
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Infrastructure>}
 */
export async function findOrStartInfrastructure(app, env) {
  const missing = listDatabaseServersToStart([app], env);
  if (missing.postgres || missing.redis) {
    const { findLocalServices } = await importLocalServices();
    const running = findLocalServices(dataFolderPath);
    if (running !== null) return describeExternalInfrastructure(getDatabaseServerAddresses(running, env));
  }
  return startPostgresAndRedis([app], env, (service, tail) =>
    console.error(`${service} ended unexpectedly. Last lines of its log:\n${tail}`),
  );
}
