// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../entry/data-folder-paths.mjs';
import { ExplainedCommandError } from '../entry/progress-step.mjs';
import { importLocalServices, setUpRepository } from '../entry/set-up-repository.mjs';
import { listOperatorPageCodeBlocks } from './operator-blocks.mjs';

/** Pattern of the line that `npm start` prints when both services accept requests. */
const servicesReadyLinePattern = /Ready in/;

/**
 * Runs `npm start`, and returns the process when both services are ready.
 *
 * @param {NodeJS.ProcessEnv} env
 */
async function startServicesUntilReady(env) {
  const services = spawn(process.execPath, ['tools/entry.mjs', 'start'], { cwd: repositoryRoot, env, stdio: 'pipe' });
  let output = '';
  const ended = once(services, 'close');
  const ready = new Promise((/** @type {(value: true) => void} */ resolve) => {
    for (const stream of [services.stdout, services.stderr]) {
      stream.on('data', (data) => {
        output += data;
        if (servicesReadyLinePattern.test(output)) resolve(true);
      });
    }
  });
  if ((await Promise.race([ready, ended])) !== true) throw new ExplainedCommandError(`npm start has ended:\n${output}`);
  return {
    stop: async () => {
      services.kill('SIGINT');
      await ended;
    },
  };
}

/**
 * Runs a code block as a shell script in the root folder of the repository. Returns the exit code of the script.
 *
 * @param {string} script
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
async function runCodeBlockAsScript(script, env) {
  const child = spawn('sh', ['-euc', script], { cwd: repositoryRoot, env, stdio: 'inherit' });
  const [code] = await once(child, 'close');
  return code ?? 1;
}

/**
 * `npm run test:operate`: starts both services with an empty data folder and runs all code blocks of `docs/operate`
 * that are marked `run`. During the run, HOME is a temporary folder. A block fails if its exit code is not 0. The
 * blocks about backups need PostgreSQL client programs of the server's version, in the PATH or in the variables
 * PG_DUMP, PG_RESTORE and PSQL.
 */
export async function runAllOperatorCodeBlocks() {
  await setUpRepository();
  const { findFreePort } = await importLocalServices();
  const folder = mkdtempSync(join(tmpdir(), 'operate-'));
  // PostgreSQL runs as another user if repositoryRoot starts it.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'home'));
  const env = {
    ...process.env,
    SWITCHBOARD_DATA: join(folder, 'data'),
    HOME: join(folder, 'home'),
    CHAT_PORT: String(await findFreePort()),
    INVENTORY_PORT: String(await findFreePort()),
  };
  const failed = [];
  const blocks = listOperatorPageCodeBlocks().filter(({ mark }) => mark === 'run');
  /** @type {{ stop: () => Promise<void> } | null} */
  let services = null;
  try {
    services = await startServicesUntilReady(env);
    for (const { place, text } of blocks) {
      console.log(`\n${place}\n${text}`);
      const code = await runCodeBlockAsScript(text, env);
      console.log(`exit code ${code}`);
      if (code !== 0) failed.push(place);
    }
  } finally {
    await services?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  for (const place of failed) console.log(`failed: ${place}`);
  console.log(`\n${blocks.length - failed.length} passed, ${failed.length} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
