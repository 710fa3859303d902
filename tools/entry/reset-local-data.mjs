// @ts-check
import { existsSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { appByName } from './app-definitions.mjs';
import { dataFolderPath, joinDataPath } from './data-folder-paths.mjs';
import { importLocalServices } from './set-up-repository.mjs';
import { secretsFilePath } from './development-secrets.mjs';
import { EntryError, printLine, runProgressStep } from './progress-step.mjs';

/**
 * Asks the user to confirm the removal of all local data. Called before the first slow step starts.
 *
 * @param {{ yes: boolean }} options
 * @param {NodeJS.ProcessEnv} env
 */
export async function confirmReset(options, env) {
  const foreign = [...Object.values(appByName).map((app) => app.databaseVariable), 'REDIS_URL'].filter(
    (name) => env[name],
  );
  if (foreign.length > 0) {
    throw new EntryError(
      `--reset removes only the embedded databases. Unset ${foreign.join(' and ')}, or empty these servers yourself.`,
    );
  }
  if (options.yes) return;
  if (process.stdin.isTTY !== true) {
    throw new EntryError(
      '--reset removes all data of both services. Without a terminal, confirm it with: npm start -- --reset --yes',
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Remove all data and secrets in ${dataFolderPath}? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new EntryError('Nothing was removed.');
}

/**
 * Removes all local data: databases, Redis data, files of the services, secrets and logs. Installed and built files
 * remain.
 */
export async function resetLocalData() {
  const { resetLocalServices } = await importLocalServices();
  await runProgressStep('Removing all data', async () => {
    await resetLocalServices({ dataFolder: dataFolderPath, log: (line) => printLine(`  ${line}`) });
    const folders = Object.values(appByName).flatMap((app) => Object.values(app.dataFolders));
    for (const path of [secretsFilePath(), ...['logs', ...folders].map((name) => joinDataPath(name))]) {
      if (existsSync(path)) rmSync(path, { recursive: true });
    }
  });
}
