// @ts-check
import { existsSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { appDefinitionByName } from './app-definitions.mjs';
import { dataFolderPath, joinDataPath } from './data-folder-paths.mjs';
import { importLocalServices } from './set-up-repository.mjs';
import { getDevelopmentSecretsPath } from './development-secrets.mjs';
import { ExplainedCommandError, printLineAboveProgress, runStepWithProgress } from './progress-step.mjs';

/**
 * Asks the user to confirm the removal of all local data. Called before the first slow step starts.
 *
 * @param {{ yes: boolean }} options
 * @param {NodeJS.ProcessEnv} env
 */
export async function confirmLocalDataReset(options, env) {
  const foreign = [...Object.values(appDefinitionByName).map((app) => app.databaseVariable), 'REDIS_URL'].filter(
    (name) => env[name],
  );
  if (foreign.length > 0) {
    throw new ExplainedCommandError(
      `--reset removes only the embedded databases. Unset ${foreign.join(' and ')}, or empty these servers yourself.`,
    );
  }
  if (options.yes) return;
  if (process.stdin.isTTY !== true) {
    throw new ExplainedCommandError(
      '--reset removes all data of both services. Without a terminal, confirm it with: npm start -- --reset --yes',
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Remove all data and secrets in ${dataFolderPath}? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new ExplainedCommandError('Nothing was removed.');
}

/**
 * Removes all local data: databases, Redis data, files of the services, secrets and logs. Installed and built files
 * remain.
 */
export async function resetLocalData() {
  const { resetLocalServices } = await importLocalServices();
  await runStepWithProgress('Removing all data', async () => {
    await resetLocalServices({ dataFolder: dataFolderPath, log: (line) => printLineAboveProgress(`  ${line}`) });
    const folders = Object.values(appDefinitionByName).flatMap((app) => Object.values(app.dataFolders));
    for (const path of [getDevelopmentSecretsPath(), ...['logs', ...folders].map((name) => joinDataPath(name))]) {
      if (existsSync(path)) rmSync(path, { recursive: true });
    }
  });
}
