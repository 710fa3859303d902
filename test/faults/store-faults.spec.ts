import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChatCase } from './chat/chat-case.js';
import { chatLoadsOf } from './chat/create-chat-loads.js';
import { Findings } from './findings.js';
import { InventoryCase } from './inventory/inventory-case.js';
import { pause } from './abortable-pause.js';
import { Random } from './random.js';
import { printCounts } from './print-counts.js';
import { readFaultSettings } from './settings.js';
import { storeFaults } from './store-faults.js';
import { startStores, type Stores } from './stores/stores.js';

const settings = readFaultSettings();
const random = new Random(settings.seed);
const findings = new Findings();
let stores: Stores;
let chat: ChatCase;
let inventory: InventoryCase;

beforeAll(async () => {
  stores = await startStores('stores');
  const { writePauseMs } = settings;
  const parts = { stores, random, findings, workers: 1, writePauseMs };
  [chat, inventory] = await Promise.all([
    ChatCase.start({ ...parts, apis: 2, readingUsers: settings.readingUsers, loads: chatLoadsOf(settings) }),
    InventoryCase.start({ ...parts, apis: 1, doingAll: 1 }),
  ]);
}, 300_000);

afterAll(async () => {
  await Promise.all([chat?.stop(), inventory?.stop()]);
  await stores?.stop();
}, 120_000);

it('responds cleanly and loses nothing while PostgreSQL or Redis is killed, emptied or paused', async () => {
  await chat.begin();
  inventory.begin();
  const readers = chat.readers;
  const refusals = (): number => readers.reduce((sum, { refused }) => sum + refused, 0);
  const figures: Record<string, string> = {};
  for (const fault of storeFaults(settings.pauseMs)) {
    await pause(random.integer(200, 1_000));
    const before = { refused: refusals(), failed: readers.reduce((sum, { failed }) => sum + failed, 0) };
    await fault.run(stores);
    await Promise.all(readers.map((reader) => reader.next()));
    const refused = refusals() - before.refused;
    const failed = readers.reduce((sum, reader) => sum + reader.failed, 0) - before.failed;
    figures[fault.name] = `${refused} queues refused, ${failed} requests failed`;
    findings.check(fault.losesData || refused === 0, () => `${fault.name}: ${refused} queues were refused`);
    for (const { deployment } of [chat, inventory]) deployment.checkRunning(findings);
  }
  for (const { proxy } of [chat.deployment, inventory.deployment]) {
    // All processes run, so each request must get a response, which may be an error.
    findings.check(proxy.cut + proxy.refused === 0, () => `${proxy.cut + proxy.refused} requests got no answer`);
  }
  const [messages, deliveries] = await Promise.all([chat.end(), inventory.end()]);
  printCounts('of the stores', settings, { ...figures, chat: messages, inventory: deliveries });
  expect(findings.lines).toEqual([]);
}, 1_800_000);
