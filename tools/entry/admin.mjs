// @ts-check
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { appEnvironment } from './app-environment.mjs';
import { findApp } from './apps.mjs';
import { joinInfrastructure } from './infrastructure.mjs';
import { root } from './paths.mjs';
import { setUp } from './setup.mjs';
import { EntryError } from './progress-step.mjs';

const usage = 'npm run admin -- chat | inventory <command> [options]. --help lists the commands.';

/**
 * `npm run admin`: runs an admin command of an app on the databases of `npm start`, which need not be running.
 * DATABASE_URL selects another database.
 *
 * @param {string[]} args
 */
export async function admin([name = '', ...args]) {
  const app = findApp(name);
  if (app === null) throw new EntryError(`Usage: ${usage}`);
  await setUp();
  const program = join(root, 'apps', app.name, 'dist/admin-bundle.js');
  if (!existsSync(program)) throw new EntryError(`${app.name} has no administration commands.`);

  const { DATABASE_URL: direct } = process.env;
  const env = direct ? { ...process.env, [app.databaseVariable]: direct } : process.env;
  const infrastructure = await joinInfrastructure(app, env);
  try {
    const child = spawn(process.execPath, [program, ...args], {
      stdio: 'inherit',
      env: appEnvironment(app, infrastructure, env),
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
