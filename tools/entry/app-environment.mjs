// @ts-check
import { hostOf, portOf } from './apps.mjs';
import { loadSecrets } from './secrets.mjs';

/**
 * Returns the environment of an app. Whatever the caller's environment names is kept; development secrets are filled in
 * for development alone, so that production refuses to boot without its own.
 * @param {import('./apps.mjs').App} app
 * @param {import('./infrastructure.mjs').Infrastructure} infrastructure
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function appEnvironment(app, infrastructure, env) {
  const mode = env.NODE_ENV || 'development';
  return {
    ...(mode === 'development' ? developmentSecrets(app) : {}),
    ...given(env),
    NODE_ENV: mode,
    HOST: hostOf(env),
    PORT: String(portOf(app, env)),
    DATABASE_URL: infrastructure.databaseUrl(app),
    REDIS_URL: infrastructure.redisUrl(),
    REDIS_KEY_PREFIX: env.REDIS_KEY_PREFIX || app.name,
  };
}

/** @param {import('./apps.mjs').App} app */
function developmentSecrets(app) {
  const secrets = loadSecrets()[app.name];
  return {
    SECRET_ENCRYPTION_KEYS: secrets.encryptionKeys,
    SECRET_PEPPERS: secrets.peppers,
    ...('demoAdminToken' in secrets ? { DEMO_ADMIN_TOKEN: secrets.demoAdminToken } : {}),
  };
}

/** An empty variable counts as absent, as in the apps' own configuration. */
function given(/** @type {NodeJS.ProcessEnv} */ env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}
