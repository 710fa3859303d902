// @ts-check
import { dataFolder } from './paths.mjs';
import { importLocalServices } from './setup.mjs';
import { say, step } from './step.mjs';

/**
 * Addresses of the databases and Redis, and the function that stops those started here.
 * @typedef {{
 *   databaseUrl(app: import('./apps.mjs').App): string,
 *   redisUrl(): string,
 *   serviceFolder: string | null,
 *   pids: { postgres?: number, redis?: number },
 *   stop(): Promise<void>,
 * }} Infrastructure
 */

/**
 * @param {import('./apps.mjs').App[]} wanted
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ postgres: boolean, redis: boolean }} what has to be embedded, because nobody named one
 */
function missingServices(wanted, env) {
  return { postgres: wanted.some((app) => !env[app.databaseVariable]), redis: !env.REDIS_URL };
}

/**
 * @param {import('../../packages/local-services/dist/index.js').ServiceAddresses | null} services
 * @param {NodeJS.ProcessEnv} env
 * @returns {Pick<Infrastructure, 'databaseUrl' | 'redisUrl'>}
 */
function addresses(services, env) {
  return {
    databaseUrl: (app) => env[app.databaseVariable] || services?.postgresUrl(app.database) || '',
    redisUrl: () => env.REDIS_URL || services?.redisUrl || '',
  };
}

/** @returns {Infrastructure} services that others run: nothing to end */
function notOurs(/** @type {Pick<Infrastructure, 'databaseUrl' | 'redisUrl'>} */ known) {
  return { ...known, serviceFolder: null, pids: {}, stop: async () => undefined };
}

/**
 * Starts what nobody named in the environment: PostgreSQL unless each app's database is given, Redis unless REDIS_URL is.
 * @param {import('./apps.mjs').App[]} wanted
 * @param {NodeJS.ProcessEnv} env
 * @param {(service: string, tail: string) => void} onExit a server ended that nobody stopped
 * @returns {Promise<Infrastructure>}
 */
export async function startInfrastructure(wanted, env, onExit) {
  const missing = missingServices(wanted, env);
  if (!missing.postgres && !missing.redis) return notOurs(addresses(null, env));
  const { startLocalServices } = await importLocalServices();
  const names = [missing.postgres ? 'PostgreSQL' : '', missing.redis ? 'Redis' : ''].filter(Boolean).join(' and ');
  const services = await step(`Starting ${names}`, () =>
    startLocalServices({
      dataFolder,
      log: (line) => say(`  ${line}`),
      onExit,
      ...(missing.postgres ? {} : { postgres: false }),
      ...(missing.redis ? {} : { redis: false }),
    }),
  );
  const { serviceFolder, pids } = services;
  return { ...addresses(services, env), serviceFolder, pids, stop: () => services.stop() };
}

/**
 * Uses the services of a running `npm start` when there is one, else starts them for as long as the command runs.
 * @param {import('./apps.mjs').App} app
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Infrastructure>}
 */
export async function joinInfrastructure(app, env) {
  const missing = missingServices([app], env);
  if (missing.postgres || missing.redis) {
    const { findLocalServices } = await importLocalServices();
    const running = findLocalServices(dataFolder);
    if (running !== null) return notOurs(addresses(running, env));
  }
  return startInfrastructure([app], env, (service, tail) =>
    console.error(`${service} ended unexpectedly. Last lines of its log:\n${tail}`),
  );
}
