// @ts-check
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createAppEnvironment } from './app-environment.mjs';
import { findAppDefinition } from './app-definitions.mjs';
import { findOrStartInfrastructure } from './start-infrastructure.mjs';
import { repositoryRoot } from './data-folder-paths.mjs';
import { setUpRepository } from './set-up-repository.mjs';
import { ExplainedCommandError } from './progress-step.mjs';

const adminCommandUsage = 'npm run admin -- chat | inventory <command> [options]. --help lists the commands.';

/**
 * `npm run admin`: runs an admin command of an app on the databases of `npm start`. The command also works while
 * `npm start` is not running. DATABASE_URL selects another database.
 *
 * @param {string[]} args
 */
export async function runAdminCommand([name = '', ...args]) {
  const app = findAppDefinition(name);
  if (app === null) throw new ExplainedCommandError(`Usage: ${adminCommandUsage}`);
  await setUpRepository();
  const program = join(repositoryRoot, 'apps', app.name, 'dist/admin-bundle.js');
  if (!existsSync(program)) throw new ExplainedCommandError(`${app.name} has no administration commands.`);

  const { DATABASE_URL: direct } = process.env;
  const env = direct ? { ...process.env, [app.databaseVariable]: direct } : process.env;
  const infrastructure = await findOrStartInfrastructure(app, env);
  try {
    const child = spawn(process.execPath, [program, ...args], {
      stdio: 'inherit',
      env: createAppEnvironment(app, infrastructure, env),
    });
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal));
    process.exitCode = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
    });
  } finally {
    await infrastructure.stop();
  }
}
