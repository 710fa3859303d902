// @ts-check
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinDataPath, repositoryRoot } from './data-folder-paths.mjs';
import { removeTemporaryDataFolder } from './node-matrix.mjs';
import { ExplainedCommandError, runStepWithProgress, runToolAndCaptureOutput } from './progress-step.mjs';
import { importLocalServices, readRequiredPnpmVersion, setUpRepository } from './set-up-repository.mjs';

/** Seconds within which the first event must arrive. */
const firstEventTimeLimitSeconds = 180;

/** Address of a database or Redis in the example, which a newcomer replaces. */
const serverAddressesInExample = { postgres: 'postgres://localhost/orders', redis: 'redis://localhost:6379' };

/** Program of the newcomer: it places an order with the service of the README, and prints the event. */
const firstEventProgramSource = `import { placeOrder, poll, register } from './service.js';

const { queueId } = await register(7);
const pending = poll(7, queueId, -1, new AbortController().signal);
await placeOrder(7, 'tea');
console.log(JSON.stringify(await pending));
process.kill(process.pid, 'SIGTERM');
`;

/** Tables of the example, which the README takes as given. */
const exampleTablesSql = `
  CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, user_id int NOT NULL, item text NOT NULL);
  CREATE TABLE statistics (orders int NOT NULL);
  INSERT INTO statistics VALUES (0)`;

const exampleCompilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  rootDir: 'src',
  outDir: 'dist',
};

/**
 * Returns the first TypeScript example of the README of the queue package in a clone.
 * @param {string} clone
 */
function readReadmeExample(clone) {
  const readme = readFileSync(join(clone, 'packages/queue/README.md'), 'utf8');
  const example = /^```ts\n([^]*?)^```/m.exec(readme)?.[1];
  if (example === undefined) throw new ExplainedCommandError('The README of the queue package has no example.');
  return example;
}

/**
 * Packs the queue package and its dependencies in a clone, as the manifest of the package builds them.
 *
 * @param {string} clone
 * @param {string} tarballs folder of the result
 */
async function packQueuePackageInClone(clone, tarballs) {
  const pnpm = (/** @type {string[]} */ ...args) =>
    runToolAndCaptureOutput(
      'npx',
      ['-y', `pnpm@${readRequiredPnpmVersion()}`, '--filter-prod=@switchboard/queue...', ...args],
      {
        cwd: clone,
        env: { CI: 'true' },
      },
    );
  await runStepWithProgress('Install the dependencies of the clone', () =>
    pnpm('install', '--frozen-lockfile', '--prefer-offline'),
  );
  await runStepWithProgress('Compile and pack', async () => {
    await pnpm('run', 'build');
    await pnpm('pack', '--pack-destination', tarballs);
  });
}

/**
 * Installs the packed packages and the compiler in an empty folder.
 *
 * @param {string} project
 * @param {string} tarballs
 */
async function installPackedPackages(project, tarballs) {
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'orders', private: true, type: 'module' }));
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: exampleCompilerOptions, include: ['src'] }),
  );
  const { catalog } = await readWorkspaceManifest();
  const packed = readdirSync(tarballs).map((name) => join(tarballs, name));
  const others = ['ioredis', 'pg', 'zod', '@opentelemetry/api', 'typescript', '@types/node', '@types/pg'];
  const versions = others.map((name) => `${name}@${catalog[name]}`);
  const options = ['--no-audit', '--no-fund', '--prefer-offline'];
  await runToolAndCaptureOutput('npm', ['install', ...options, ...packed, ...versions], { cwd: project });
}

/** @returns {Promise<{ catalog: Record<string, string> }>} */
async function readWorkspaceManifest() {
  const { parse } = await import('yaml');
  return parse(readFileSync(join(repositoryRoot, 'pnpm-workspace.yaml'), 'utf8'));
}

/**
 * Creates the database of the example with its tables.
 * @param {(database: string) => string} postgresUrl
 */
async function createExampleDatabase(postgresUrl) {
  const { default: pg } = await import('pg');
  const run = async (/** @type {string} */ database, /** @type {string} */ sql) => {
    const client = new pg.Client({ connectionString: postgresUrl(database) });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await run('postgres', 'CREATE DATABASE orders');
  await run('orders', exampleTablesSql);
}

/**
 * Compiles and starts the example of the README, and returns the first event that its client receives.
 *
 * @param {string} project
 * @param {string} example
 * @param {{ postgresUrl: (database: string) => string, redisUrl: string }} servers
 */
async function runExampleUntilFirstEvent(project, example, { postgresUrl, redisUrl }) {
  const service = example
    .replaceAll(serverAddressesInExample.postgres, postgresUrl('orders'))
    .replaceAll(serverAddressesInExample.redis, redisUrl);
  if (service.includes('localhost'))
    throw new ExplainedCommandError('The example has an address that is not replaced.');
  writeFileSync(join(project, 'src/service.ts'), service);
  writeFileSync(join(project, 'src/first-event.ts'), firstEventProgramSource);
  const run = (/** @type {string[]} */ ...args) => runToolAndCaptureOutput(process.execPath, args, { cwd: project });
  await run('node_modules/typescript/bin/tsc', '-p', '.');
  const output = await run('dist/first-event.js');
  const event = output.split('\n').find((line) => line.startsWith('[{'));
  if (event === undefined) throw new ExplainedCommandError(`No event was received:\n${output}`);
  return event;
}

/**
 * `npm run test:newcomer`: does what a newcomer does, and prints the seconds of each step. The steps clone the
 * repository, pack and install the queue package, run the service of its README, and receive an event. Fails if this
 * takes longer than three minutes.
 */
export async function runNewcomerTest() {
  await setUpRepository();
  const { startLocalServices } = await importLocalServices();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-newcomer-'));
  const clone = join(folder, 'clone');
  const tarballs = join(folder, 'tarballs');
  const project = join(folder, 'orders');
  const data = joinDataPath('newcomer');
  await removeTemporaryDataFolder(data);
  const started = Date.now();
  try {
    await runStepWithProgress('Clone', () =>
      runToolAndCaptureOutput('git', ['clone', '--quiet', repositoryRoot, clone]),
    );
    await packQueuePackageInClone(clone, tarballs);
    await runStepWithProgress('Install in an empty folder', () => installPackedPackages(project, tarballs));
    const servers = await runStepWithProgress('Start PostgreSQL and Redis', async () => {
      const running = await startLocalServices({ dataFolder: data, log: () => undefined, durable: false });
      await createExampleDatabase((database) => running.postgresUrl(database));
      return running;
    });
    try {
      const addresses = { postgresUrl: servers.postgresUrl.bind(servers), redisUrl: servers.redisUrl };
      const event = await runStepWithProgress('Compile and start the service, receive the first event', () =>
        runExampleUntilFirstEvent(project, readReadmeExample(clone), addresses),
      );
      const seconds = (Date.now() - started) / 1000;
      console.log(`\nReceived ${event}\n${seconds.toFixed(1)} s from the clone to the first event`);
      if (seconds > firstEventTimeLimitSeconds)
        throw new ExplainedCommandError(`This took longer than ${firstEventTimeLimitSeconds} s.`);
    } finally {
      await servers.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await removeTemporaryDataFolder(data);
  }
}
