// @ts-check
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { appDefinitionByName } from './app-definitions.mjs';
import { joinDataPath, repositoryRoot } from './data-folder-paths.mjs';
import { importLocalServices, setUpRepository } from './set-up-repository.mjs';
import { ExplainedCommandError, runToolAndCaptureOutput, runStepWithProgress } from './progress-step.mjs';

/**
 * Versions of Node to test: the oldest version that is supported, the oldest version that is maintained, and the newest
 * version.
 */
export const testedNodeVersions = ['20.19.0', '22', 'latest'];
const servicesStartTimeoutMs = 120_000;
const servicesStopTimeoutMs = 30_000;

/** Path of a request that needs no credentials, and the expected status of the response, for each service. */
const testRequestByService = { chat: ['/api/v1/server_settings', 200], inventory: ['/api/', 200] };

/**
 * Downloads a version of Node from the npm package of this platform, unless the version was downloaded before.
 * @param {string} wanted version, range or tag
 * @returns {Promise<string>} path of the program
 */
export async function downloadNodeVersion(wanted) {
  const folder = joinDataPath('node', wanted);
  const name = `node-${process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  await runStepWithProgress(`Fetching Node ${wanted}`, () =>
    runToolAndCaptureOutput('npm', [
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      '--no-save',
      `${name}@${wanted}`,
    ]),
  );
  if (!existsSync(program)) throw new ExplainedCommandError(`The package ${name}@${wanted} contains no bin/node.`);
  return program;
}

/**
 * Runs `npm start` with the given Node program, on free ports and with a separate data folder.
 * @param {string} program
 * @param {string} data
 * @param {Record<string, string>} ports
 */
function startServicesWithNodeVersion(program, data, ports) {
  // An empty variable counts as absent, so that each version of Node starts separate embedded services.
  const own = { DATABASE_URL_CHAT: '', DATABASE_URL_INVENTORY: '', REDIS_URL: '' };
  const child = spawn(program, [join(repositoryRoot, 'tools/entry.mjs'), 'start'], {
    cwd: repositoryRoot,
    env: { ...process.env, ...own, ...ports, SWITCHBOARD_DATA: data, HOST: '127.0.0.1', NODE_ENV: 'development' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  /** @type {string[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => output.push(line));
  const ended = new Promise((/** @type {(code: number) => void} */ resolve) => {
    child.once('close', (code) => resolve(code ?? 1));
  });
  return { child, output, ended };
}

/**
 * Waits until `npm start` reports that the services are ready. Throws an error if `npm start` exits before, or after a
 * time limit.
 * @param {{ output: string[], ended: Promise<number> }} running
 */
async function waitUntilServicesAreReady({ output, ended }) {
  let over = false;
  void ended.then(() => (over = true));
  const deadline = Date.now() + servicesStartTimeoutMs;
  while (!output.some((line) => line.startsWith('Ready in'))) {
    if (over || Date.now() > deadline) throw new ExplainedCommandError(`not ready:\n${output.slice(-20).join('\n')}`);
    await delay(50);
  }
}

/**
 * Sends one request to each service and checks the status of the response.
 *
 * @param {Record<string, string>} ports
 */
async function checkServicesRespond(ports) {
  for (const app of Object.values(appDefinitionByName)) {
    const [path, wanted] = testRequestByService[app.name];
    const response = await fetch(`http://127.0.0.1:${ports[app.portVariable]}${path}`);
    // Without credentials the service may reject the request, which still shows that it responds.
    if (response.status !== wanted && response.status !== 401 && response.status !== 403) {
      throw new ExplainedCommandError(`${app.name} responded to ${path} with ${response.status}`);
    }
  }
}

/**
 * Starts the services with one version of Node, sends requests to the services, and stops the services.
 *
 * @param {string} program
 * @param {string} data
 */
async function testNodeVersion(program, data) {
  const { findFreePort } = await importLocalServices();
  const chat = await findFreePort();
  let inventory = await findFreePort();
  while (inventory === chat) inventory = await findFreePort();
  const ports = { CHAT_PORT: String(chat), INVENTORY_PORT: String(inventory) };
  const started = Date.now();
  const running = startServicesWithNodeVersion(program, data, ports);
  try {
    await waitUntilServicesAreReady(running);
    const readySeconds = (Date.now() - started) / 1000;
    await checkServicesRespond(ports);
    return readySeconds;
  } finally {
    running.child.kill('SIGTERM');
    const late = delay(servicesStopTimeoutMs, undefined, { ref: false }).then(() => running.child.kill('SIGKILL'));
    await Promise.race([running.ended, late]);
  }
}

/** Removes a temporary data folder and the files that its services store elsewhere. */
export async function removeTemporaryDataFolder(/** @type {string} */ data) {
  const { resetLocalServices } = await importLocalServices();
  await resetLocalServices({ dataFolder: data, log: () => undefined });
  rmSync(data, { recursive: true, force: true });
}

/**
 * `npm run test:node`: checks that both services start, respond and stop with each supported version of Node.
 * @param {string[]} args versions to test instead of the default versions
 */
export async function testNodeVersions(args) {
  await setUpRepository();
  let failures = 0;
  const rows = [];
  for (const wanted of args.length > 0 ? args : testedNodeVersions) {
    const data = joinDataPath('node-test', wanted);
    await removeTemporaryDataFolder(data);
    const program = await downloadNodeVersion(wanted);
    const version = (await runToolAndCaptureOutput(program, ['--version'])).trim();
    try {
      const seconds = await runStepWithProgress(`Both services under ${version}`, () => testNodeVersion(program, data));
      rows.push(`${version.padEnd(12)} ok      ready in ${seconds.toFixed(1)} s`);
    } catch (error) {
      failures += 1;
      rows.push(`${version.padEnd(12)} FAILED  ${error instanceof Error ? error.message : String(error)}`);
    }
    await removeTemporaryDataFolder(data);
  }
  console.log(`\n${rows.join('\n')}`);
  if (failures > 0) throw new ExplainedCommandError(`${failures} of ${rows.length} versions of Node failed.`);
}
