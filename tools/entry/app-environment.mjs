// @ts-check
import { getAppHost, getAppPort } from './app-definitions.mjs';
import { joinDataPath } from './data-folder-paths.mjs';
import { ExplainedCommandError } from './progress-step.mjs';
import { loadDevelopmentSecrets } from './development-secrets.mjs';

/**
 * Returns the environment variables of an app's process. Variables of the caller take precedence. Development secrets
 * are added only in development, so that a production process fails to start without its own secrets. Like all
 * environment variables, development secrets take precedence over `CONFIG_FILE`.
 *
 * @param {import('./app-definitions.mjs').App} app
 * @param {import('./start-infrastructure.mjs').Infrastructure} infrastructure
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 * @throws ExplainedCommandError if a variable with the suffix `_FILE` is set for a value that this function sets
 */
export function createAppEnvironment(app, infrastructure, env) {
  const mode = env.NODE_ENV || 'development';
  const secrets = mode === 'development' ? createDevelopmentSecretVariables(app) : {};
  const own = {
    NODE_ENV: mode,
    HOST: getAppHost(env),
    PORT: String(getAppPort(app, env)),
    DATABASE_URL: infrastructure.databaseUrl(app),
    REDIS_URL: infrastructure.redisUrl(),
    REDIS_KEY_PREFIX: env.REDIS_KEY_PREFIX || app.name,
  };
  const clash = Object.keys(own).find((name) => env[`${name}_FILE`]);
  if (clash !== undefined)
    throw new ExplainedCommandError(
      `${clash}_FILE has no effect here. Set ${getUserEnvironmentVariableName(app, clash)}.`,
    );
  return {
    ...Object.fromEntries(
      Object.entries({ ...createMovedDataFolderVariables(app, env), ...secrets }).filter(
        ([name]) => !env[`${name}_FILE`],
      ),
    ),
    ...selectNonEmptyEnvironmentVariables(env),
    ...own,
  };
}

/**
 * Returns the name of the environment variable with which a user changes a variable of the service.
 *
 * @param {import('./app-definitions.mjs').App} app
 * @param {string} name
 */
function getUserEnvironmentVariableName(app, name) {
  if (name === 'PORT') return app.portVariable;
  return name === 'DATABASE_URL' ? app.databaseVariable : name;
}

/**
 * Returns the environment variables with the folders of an app, if SWITCHBOARD_DATA has moved the data folder. If
 * SWITCHBOARD_DATA is not set, the result is empty. The app's default folders are then equal, and `CONFIG_FILE` may
 * change these folders.
 *
 * @param {import('./app-definitions.mjs').App} app
 * @param {NodeJS.ProcessEnv} env
 * @returns {Record<string, string>}
 */
function createMovedDataFolderVariables(app, env) {
  if (!env.SWITCHBOARD_DATA) return {};
  return Object.fromEntries(Object.entries(app.dataFolders).map(([name, folder]) => [name, joinDataPath(folder)]));
}

/**
 * Returns the development secrets of an app as environment variables.
 *
 * @param {import('./app-definitions.mjs').App} app
 */
function createDevelopmentSecretVariables(app) {
  const secrets = loadDevelopmentSecrets()[app.name];
  return {
    SECRET_ENCRYPTION_KEYS: secrets.encryptionKeys,
    SECRET_PEPPERS: secrets.peppers,
    ...('demoAdminToken' in secrets ? { DEMO_ADMIN_TOKEN: secrets.demoAdminToken } : {}),
  };
}

/**
 * Returns the environment variables that are not empty. An empty variable counts as absent, like in the configuration
 * of the apps.
 */
function selectNonEmptyEnvironmentVariables(/** @type {NodeJS.ProcessEnv} */ env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}
