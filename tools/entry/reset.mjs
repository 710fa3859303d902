// @ts-check
import { existsSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { apps } from './apps.mjs';
import { dataFolder, dataPath } from './paths.mjs';
import { importLocalServices } from './setup.mjs';
import { secretsFile } from './secrets.mjs';
import { EntryError, printLine, runStep } from './progress-step.mjs';

/**
 * Asks the user to confirm the removal of all local data, before the first slow step starts.
 *
 * @param {{ yes: boolean }} options
 * @param {NodeJS.ProcessEnv} env
 */
export async function confirmReset(options, env) {
  const foreign = [...Object.values(apps).map((app) => app.databaseVariable), 'REDIS_URL'].filter((name) => env[name]);
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
  const answer = await terminal.question(`Remove all data and secrets in ${dataFolder}? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new EntryError('Nothing was removed.');
}

/** Removes databases, Redis data, files of the services, secrets and logs. Installed and built files remain. */
export async function reset() {
  const { resetLocalServices } = await importLocalServices();
  await runStep('Removing all data', async () => {
    await resetLocalServices({ dataFolder, log: (line) => printLine(`  ${line}`) });
    const folders = Object.values(apps).flatMap((app) => Object.values(app.dataFolders));
    for (const path of [secretsFile(), ...['logs', ...folders].map((name) => dataPath(name))]) {
      if (existsSync(path)) rmSync(path, { recursive: true });
    }
  });
}
