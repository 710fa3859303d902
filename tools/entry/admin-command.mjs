// @ts-check
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createAppEnvironment } from './app-environment.mjs';
import { findApp } from './app-definitions.mjs';
import { joinOrStartInfrastructure } from './start-infrastructure.mjs';
import { repositoryRoot } from './data-folder-paths.mjs';
import { setUpRepository } from './set-up-repository.mjs';
import { EntryError } from './progress-step.mjs';

const adminUsage = 'npm run admin -- chat | inventory <command> [options]. --help lists the commands.';

/**
 * `npm run admin`: runs an admin command of an app on the databases of `npm start`. The command also works while
 * `npm start` is not running. DATABASE_URL selects another database.
 *
 * @param {string[]} args
 */
export async function runAdminCommand([name = '', ...args]) {
  const app = findApp(name);
  if (app === null) throw new EntryError(`Usage: ${adminUsage}`);
  await setUpRepository();
  const program = join(repositoryRoot, 'apps', app.name, 'dist/admin-bundle.js');
  if (!existsSync(program)) throw new EntryError(`${app.name} has no administration commands.`);

  const { DATABASE_URL: direct } = process.env;
  const env = direct ? { ...process.env, [app.databaseVariable]: direct } : process.env;
  const infrastructure = await joinOrStartInfrastructure(app, env);
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
