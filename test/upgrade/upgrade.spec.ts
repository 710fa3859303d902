import { execFile } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChatCase } from '../faults/chat/chat-case.js';
import { Findings } from '../faults/findings.js';
import { InventoryCase } from '../faults/inventory/inventory-case.js';
import { pause } from '../faults/abortable-pause.js';
import { printCounts } from '../faults/print-counts.js';
import { Random } from '../faults/random.js';
import type { DeployedRelease } from '../faults/services/deployment.js';
import type { ServiceProcess } from '../faults/services/service-process.js';
import { readFaultSettings } from '../faults/settings.js';
import { type StoreAddresses, emptyDatabase, sharedStores } from '../faults/stores/stores.js';
import { type AssembledRelease, buildNextRelease, buildStartRelease } from './assembled-release.js';

const apps = ['chat', 'inventory'] as const;
type App = (typeof apps)[number];

const buildTimeoutMs = 1_800_000;
/** Number of writes between two steps of the upgrade, during which no process is started or stopped. */
const writesBetweenSteps = 40;

/** Maximum time until a started process is ready, in milliseconds. */
const readyTimeoutMs = 600_000;

/** Maximum time for the upgrade of a service and the return to the previous release, in milliseconds. */
const testTimeoutMs = 1_800_000;

/** Maximum number of attempts to start a process. */
const mostStarts = 5;

const settings = readFaultSettings();
const random = new Random(settings.seed);
let stores: StoreAddresses;
let before: Readonly<Record<App, DeployedRelease>>;
let after: Readonly<Record<App, DeployedRelease>>;
let load: ChatCase | InventoryCase | undefined;

/**
 * Environment variables with long time limits, which even a busy machine does not exceed. The test does not concern
 * these limits. The limit of 5 s for opening a connection is fixed, so the pool is small and opens few connections. An
 * even smaller pool would reserve no connection for background work.
 */
const longWaits = {
  BOOT_WAIT_MS: '600000',
  DATABASE_HEAVY_WAIT_MS: '600000',
  DATABASE_POOL_SIZE: '8',
  DATABASE_SHORT_WAIT_MS: '600000',
  MIGRATION_LOCK_TIMEOUT_MS: '600000',
  // On a busy machine the proxy takes seconds to notice that a process is no longer ready.
  SHUTDOWN_DELAY_MS: '10000',
  SHUTDOWN_TIMEOUT_MS: '120000',
  STATEMENT_TIMEOUT_MS: '600000',
};

/**
 * Returns the deployment options for a release of both services. The processes get the additional environment variables
 * in `given`.
 */
function deployed({ version, folders }: AssembledRelease, given: Readonly<Record<string, string>> = {}) {
  const env = { ...longWaits, ...given };
  return {
    chat: { name: version, folder: folders.chat, env, readyTimeoutMs },
    inventory: { name: version, folder: folders.inventory, env, readyTimeoutMs },
  };
}

beforeAll(async () => {
  const start = await buildStartRelease();
  before = deployed(start);
  after = deployed(await buildNextRelease(start.version), { MIGRATE_AT_BOOT: 'false' });
  stores = await sharedStores('upgrade', apps, emptyDatabase);
}, buildTimeoutMs);

afterEach(async () => {
  await load?.stop();
  load = undefined;
}, 300_000);

afterAll(async () => {
  await stores?.stop();
});

/** Waits until the service has acknowledged a number of further writes. */
async function waitForWrites(one: ChatCase | InventoryCase, findings: Findings): Promise<void> {
  const wanted = one.writes + writesBetweenSteps;
  while (one.writes < wanted) {
    if (findings.lines.length > 0) throw new Error(findings.lines.join('\n'));
    await pause(50);
  }
}

/**
 * Runs the admin command `migrate` of the new release with the environment variables of a process. Returns the output
 * of the command.
 */
function migrate(app: App, { options }: ServiceProcess): Promise<string> {
  const env = { PATH: process.env['PATH'], ...options.env };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [`${after[app].folder}/admin.mjs`, 'migrate'], { env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`admin migrate of ${app} failed:\n${stdout}${stderr}`));
    });
  });
}

/**
 * Starts a service process and waits until the process is ready. A process that ends after a timeout is started again,
 * like by a supervisor, because connections can time out on a busy machine.
 */
async function start(one: ServiceProcess): Promise<void> {
  for (let attempt = 1; attempt < mostStarts; attempt += 1) {
    one.start();
    if ((await one.waitForStartOrEnd()) === 'ready') return;
    const reason = one.tail();
    if (!/time.?out|timed out/i.test(reason)) throw new Error(`${one.options.name} ended:\n${reason}`);
    console.log(`${one.options.name} is started again after a timeout`);
  }
  one.start();
  await one.ready();
}

/**
 * Starts processes one after the other, like a rolling restart. On a busy machine, concurrent starts would take too
 * much processor time from the processes that serve requests.
 */
async function startAll(processes: readonly ServiceProcess[]): Promise<void> {
  for (const one of processes) await start(one);
}

/** Stops processes one after the other. Checks that every process ends with exit code 0. */
async function stopAll(processes: readonly ServiceProcess[], findings: Findings): Promise<void> {
  for (const one of processes) {
    const { code, signal } = await one.stop();
    findings.check(code === 0, () => `${one.options.name} ended with ${code ?? signal}:\n${one.tail()}`);
  }
}

/** Load on a service that the test upgrades. */
interface UpgradedLoad<Figures> {
  readonly app: App;
  readonly one: ChatCase | InventoryCase;
  /** Ends the load and returns the counts of the load. */
  readonly end: () => Promise<Figures>;
  readonly findings: Findings;
}

/**
 * Upgrades a service under load and returns to the previous release, then prints and returns the counts of the load.
 * The counts include the connections that a process closed during a request, and the requests that no process accepted.
 */
async function upgradeAndGoBack<Figures extends object>({ app, one, end, findings }: UpgradedLoad<Figures>) {
  load = one;
  const startedAt = performance.now();
  const { deployment } = one;
  const earlier = deployment.ofRelease(before[app]);
  const later = deployment.ofRelease(after[app]);
  const [laterProcess] = later;
  if (laterProcess === undefined) throw new Error(`no process of the later release of ${app}`);
  const next = (): Promise<void> => waitForWrites(one, findings);
  await one.begin();
  await next();

  expect(await migrate(app, laterProcess)).toContain('29990101000000_later_release');
  await next();

  // A restart of each process of the earlier release, which finds migrations that it does not know.
  for (const process of earlier) {
    await stopAll([process], findings);
    await start(process);
    expect(process.log()).toContain('A later release has applied migrations to this database');
  }
  await next();

  await startAll(later);
  await next();
  await stopAll(earlier, findings);
  await next();

  await startAll(earlier);
  await next();
  await stopAll(later, findings);
  await next();

  const { writes } = one;
  const figures = await end();
  const { cut, refused } = deployment.proxy;
  printCounts(`of an upgrade of ${app} from ${before[app].name}`, settings, {
    writes,
    [app]: figures,
    proxy: { 'connections cut': cut, 'requests refused': refused },
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  });
  expect(findings.lines).toEqual([]);
  return { ...figures, cut, refused };
}

describe('upgrade to the next release and return', () => {
  it(
    'loses no event and fails no request of chat',
    async () => {
      const findings = new Findings();
      const releases = [before.chat, after.chat];
      const chat = await ChatCase.start({ stores, random: random.fork(), findings, apis: 2, workers: 1, releases });
      const figures = await upgradeAndGoBack({ app: 'chat', one: chat, end: () => chat.end(), findings });
      expect(figures).toMatchObject({
        cut: 0,
        refused: 0,
        refusedQueues: 0,
        failedRequests: 0,
        unknownWrites: 0,
        resentMessages: 0,
        lost: 0,
      });
    },
    testTimeoutMs,
  );

  it(
    'loses no webhook and fails no request of the inventory',
    async () => {
      const findings = new Findings();
      const releases = [before.inventory, after.inventory];
      const parts = { stores, random: random.fork(), findings, apis: 2, workers: 1, doingAll: 0, releases };
      const inventory = await InventoryCase.start(parts);
      const figures = await upgradeAndGoBack({
        app: 'inventory',
        one: inventory,
        end: () => inventory.end(),
        findings,
      });
      expect(figures).toMatchObject({ cut: 0, refused: 0, lost: 0, unknownRequests: 0 });
    },
    testTimeoutMs,
  );
});
