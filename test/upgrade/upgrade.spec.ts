import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChatCase } from '../faults/chat/chat-case.js';
import { Findings } from '../faults/findings.js';
import { InventoryCase } from '../faults/inventory/inventory-case.js';
import { pause } from '../faults/abortable-pause.js';
import { printCounts } from '../faults/print-counts.js';
import { Random } from '../faults/random.js';
import type { DeployedRelease, Deployment } from '../faults/services/deployment.js';
import type { ServiceProcess } from '../faults/services/service-process.js';
import { readFaultSettings } from '../faults/settings.js';
import { type Addresses, emptyDatabase, sharedStores } from '../faults/stores/stores.js';
import { type AssembledRelease, buildNextRelease, buildStartRelease } from './assembled-release.js';

const apps = ['chat', 'inventory'] as const;
type App = (typeof apps)[number];

const buildTimeoutMs = 1_800_000;
/** Number of writes of each service while the processes stay as they are, between two steps of the upgrade. */
const writesBetweenSteps = 40;

/** Most attempts to start a process. */
const mostStarts = 5;

const settings = readFaultSettings();
const random = new Random(settings.seed);
const findings = new Findings();
let stores: Addresses;
let before: Readonly<Record<App, DeployedRelease>>;
let after: Readonly<Record<App, DeployedRelease>>;
let chat: ChatCase;
let inventory: InventoryCase;

/** Time limits that a busy machine does not reach. They are not what this test is about. */
const longWaits = {
  BOOT_WAIT_MS: '600000',
  DATABASE_HEAVY_WAIT_MS: '600000',
  DATABASE_SHORT_WAIT_MS: '600000',
  MIGRATION_LOCK_TIMEOUT_MS: '600000',
  SHUTDOWN_TIMEOUT_MS: '120000',
  STATEMENT_TIMEOUT_MS: '600000',
};

/** Returns the deployed releases of the services, whose processes get the variables of `given` in addition. */
function deployed({ version, folders }: AssembledRelease, given: Readonly<Record<string, string>> = {}) {
  const env = { ...longWaits, ...given };
  return {
    chat: { name: version, folder: folders.chat, env },
    inventory: { name: version, folder: folders.inventory, env },
  };
}

beforeAll(async () => {
  const start = await buildStartRelease();
  before = deployed(start);
  after = deployed(await buildNextRelease(start.version), { MIGRATE_AT_BOOT: 'false' });
  stores = await sharedStores('upgrade', apps, emptyDatabase);
  const parts = { stores, random, findings, apis: 2, workers: 1 };
  [chat, inventory] = await Promise.all([
    ChatCase.start({ ...parts, releases: [before.chat, after.chat] }),
    InventoryCase.start({ ...parts, doingAll: 0, releases: [before.inventory, after.inventory] }),
  ]);
}, buildTimeoutMs);

afterAll(async () => {
  await Promise.all([chat?.stop(), inventory?.stop()]);
  await stores?.stop();
}, 120_000);

const deployments = (): Record<App, Deployment> => ({ chat: chat.deployment, inventory: inventory.deployment });

/** Returns the processes of both services that run a release. */
const processesOf = (releases: Readonly<Record<App, DeployedRelease>>): ServiceProcess[] =>
  apps.flatMap((app) => [...deployments()[app].ofRelease(releases[app])]);

/** Waits until each service has acknowledged further writes. */
async function waitForWrites(): Promise<void> {
  const wanted = [chat, inventory].map((one) => one.writes + writesBetweenSteps);
  while ([chat, inventory].some((one, index) => one.writes < (wanted[index] ?? 0))) {
    if (findings.lines.length > 0) throw new Error(findings.lines.join('\n'));
    await pause(50);
  }
}

/** Runs the admin command `migrate` of the new release. Returns its output. */
function migrate(app: App): Promise<string> {
  const [{ options } = { options: null }] = deployments()[app].ofRelease(after[app]);
  const env = { PATH: process.env['PATH'], ...options?.env };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [`${after[app].folder}/admin.mjs`, 'migrate'], { env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`admin migrate of ${app} failed:\n${stdout}${stderr}`));
    });
  });
}

/**
 * Starts processes and waits until they are ready. One that ends is started again, as a supervisor does, because its
 * connections can time out on a busy machine.
 */
async function startAll(processes: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(
    processes.map(async (one) => {
      for (let attempt = 1; attempt < mostStarts; attempt += 1) {
        one.start();
        if ((await one.waitForStartOrEnd()) === 'ready') return;
        const reason = one.tail();
        if (!/time.?out|timed out/i.test(reason)) throw new Error(`${one.options.name} ended:\n${reason}`);
        console.log(`${one.options.name} is started again after a timeout`);
      }
      one.start();
      await one.ready();
    }),
  );
}

/** Stops processes one after the other. Each must end in order. */
async function stopAll(processes: readonly ServiceProcess[]): Promise<void> {
  for (const one of processes) {
    const { code, signal } = await one.stop();
    findings.check(code === 0, () => `${one.options.name} ended with ${code ?? signal}:\n${one.tail()}`);
  }
}

it('upgrades and goes back with no failed request, no lost event and no lost webhook', async () => {
  await chat.begin();
  inventory.begin();
  await waitForWrites();

  for (const app of apps) expect(await migrate(app)).toContain('29990101000000_later_release');
  await waitForWrites();

  // A restart of each process of the earlier release, which finds migrations that it does not know.
  for (const one of processesOf(before)) {
    await stopAll([one]);
    await startAll([one]);
    expect(one.log()).toContain('A later release has applied migrations to this database');
  }
  await waitForWrites();

  await startAll(processesOf(after));
  await waitForWrites();
  await stopAll(processesOf(before));
  await waitForWrites();

  await startAll(processesOf(before));
  await waitForWrites();
  await stopAll(processesOf(after));
  await waitForWrites();

  const [messages, deliveries] = await Promise.all([chat.end(), inventory.end()]);
  const proxies = Object.values(deployments()).map(({ proxy }) => proxy);
  const cut = proxies.reduce((sum, proxy) => sum + proxy.cut, 0);
  const refused = proxies.reduce((sum, proxy) => sum + proxy.refused, 0);
  printCounts(`of an upgrade from ${before.chat.name}`, settings, {
    chat: messages,
    inventory: deliveries,
    proxies: { 'connections cut': cut, 'requests refused': refused },
  });
  expect(findings.lines).toEqual([]);
  const { refusedQueues, failedRequests, unknownWrites, resentMessages, lost } = messages;
  expect({ cut, refused, refusedQueues, failedRequests, unknownWrites, resentMessages, lost }).toEqual({
    cut: 0,
    refused: 0,
    refusedQueues: 0,
    failedRequests: 0,
    unknownWrites: 0,
    resentMessages: 0,
    lost: 0,
  });
  expect({ lost: deliveries.lost, unknownRequests: deliveries.unknownRequests }).toEqual({
    lost: 0,
    unknownRequests: 0,
  });
}, 1_200_000);
