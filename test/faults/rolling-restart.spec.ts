import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChatCase } from './chat/chat-case.js';
import { Findings } from './findings.js';
import { InventoryCase } from './inventory/inventory-case.js';
import { pause } from './abortable-pause.js';
import { Random } from './random.js';
import { printCounts } from './print-counts.js';
import type { Deployment } from './services/deployment.js';
import { readFaultSettings } from './settings.js';
import { type StoreAddresses, sharedStores } from './stores/stores.js';

const settings = readFaultSettings();
const random = new Random(settings.seed);
const findings = new Findings();
let stores: StoreAddresses;
let chat: ChatCase;
let inventory: InventoryCase | null;

beforeAll(async () => {
  stores = await sharedStores('rolling', settings.restartsBoth ? ['chat', 'inventory'] : ['chat']);
  const { apis, workers, readingUsers, writePauseMs } = settings;
  const parts = { stores, random, findings, apis, workers, writePauseMs };
  [chat, inventory] = await Promise.all([
    ChatCase.start({ ...parts, readingUsers }),
    // One process also sends deliveries of its own changes.
    settings.restartsBoth ? InventoryCase.start({ ...parts, doingAll: 1 }) : null,
  ]);
}, 300_000);

afterAll(async () => {
  await Promise.all([chat?.stop(), inventory?.stop()]);
  await stores?.stop();
}, 120_000);

it('serves every request during a rolling restart of API and worker processes', async () => {
  await chat.begin();
  inventory?.begin();
  const deployments = [chat, inventory].flatMap((one) => one?.deployment ?? []);
  await Promise.all(deployments.map((deployment) => restartAll(deployment, random.fork())));
  await pause(500);
  const [messages, deliveries] = await Promise.all([chat.end(), inventory?.end()]);
  const proxies = deployments.map(({ proxy }) => proxy);
  const cut = proxies.reduce((sum, proxy) => sum + proxy.cut, 0);
  const refused = proxies.reduce((sum, proxy) => sum + proxy.refused, 0);
  printCounts('of a rolling restart', settings, {
    restarts: deployments.reduce((sum, { all }) => sum + all.length, 0),
    chat: messages,
    ...(deliveries && { inventory: deliveries }),
    proxies: { 'connections cut': cut, 'requests refused': refused },
  });
  const { refusedQueues, failedRequests, unknownWrites, resentMessages } = messages;
  const unknownRequests = deliveries?.unknownRequests ?? 0;
  expect(findings.lines).toEqual([]);
  expect({ cut, refused, refusedQueues, failedRequests, unknownWrites, resentMessages, unknownRequests }).toEqual({
    cut: 0,
    refused: 0,
    refusedQueues: 0,
    failedRequests: 0,
    unknownWrites: 0,
    resentMessages: 0,
    unknownRequests: 0,
  });
}, 300_000);

/** Restarts the processes of a service one after the other. */
async function restartAll({ all }: Deployment, own: Random): Promise<void> {
  for (const one of all) {
    await pause(own.integer(100, 500));
    const { code, signal } = await one.stop();
    findings.check(code === 0, () => `${one.options.name} ended with ${code ?? signal}:\n${one.tail()}`);
    one.start();
    await one.ready();
  }
}
