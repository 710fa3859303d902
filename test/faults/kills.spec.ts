import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChatCase } from './chat/chat-case.js';
import { chatLoadsOf, faultPointsOfChatLoads } from './chat/create-chat-loads.js';
import { Findings } from './findings.js';
import { InventoryCase } from './inventory/inventory-case.js';
import { periodicPoints, RepeatedKills, type KilledProcess } from './repeated-kills.js';
import { Random } from './random.js';
import { printCounts } from './print-counts.js';
import type { ServiceProcess } from './services/service-process.js';
import { readFaultSettings } from './settings.js';
import { type StoreAddresses, sharedStores } from './stores/stores.js';

const settings = readFaultSettings();
const random = new Random(settings.seed);
const findings = new Findings();
const chatLoads = chatLoadsOf(settings);
let stores: StoreAddresses;
let chat: ChatCase;
let inventory: InventoryCase;

beforeAll(async () => {
  stores = await sharedStores('kills', ['chat', 'inventory']);
  const { writePauseMs } = settings;
  const parts = { stores, random, findings, writePauseMs };
  [chat, inventory] = await Promise.all([
    ChatCase.start({
      ...parts,
      apis: 2,
      workers: 1,
      readingUsers: settings.readingUsers,
      loads: chatLoads,
    }),
    // One process is only an API. The other also sends deliveries of its own changes.
    InventoryCase.start({ ...parts, apis: 2, workers: 1, doingAll: 1 }),
  ]);
}, 300_000);

afterAll(async () => {
  await Promise.all([chat?.stop(), inventory?.stop()]);
  await stores?.stop();
}, 120_000);

const points = {
  chat: [
    'event-log.after-c',
    'event-log.after-a',
    'event-log.between-2-and-3',
    'event-log.after-b',
    'outbox.after-commit',
    'event-log.between-3-and-4',
  ],
  changes: ['outbox.after-commit', 'outbox.after-dispatch'],
  deliveries: ['delivery.after-send', 'delivery.before-send'],
};

const victims = (processes: readonly ServiceProcess[], passed: readonly string[]): KilledProcess[] =>
  processes.map((process) => ({
    process,
    points: process.options.role === 'all' ? [...points.deliveries, ...passed] : passed,
  }));

it('loses no message or webhook and repeats no event when processes are killed at random', async () => {
  const killingOf = (deployment: ChatCase['deployment'], api: string[], worker: string[]): RepeatedKills => {
    const parts = { random: random.fork(), findings };
    return new RepeatedKills({
      ...parts,
      apis: victims(deployment.apis, api),
      workers: victims(deployment.workers, worker),
    });
  };
  const periodic = settings.killsPeriodicWork ? [...periodicPoints] : [];
  const chatKilling = killingOf(
    chat.deployment,
    [...points.chat, ...periodic],
    [...faultPointsOfChatLoads(chatLoads), ...periodic],
  );
  const inventoryKilling = killingOf(inventory.deployment, points.changes, points.deliveries);
  await chat.begin();
  inventory.begin();
  const half = Math.floor(settings.kills / 2);
  await Promise.all([chatKilling.run(settings.kills - half), inventoryKilling.run(half)]);
  const [messages, deliveries] = await Promise.all([chat.end(), inventory.end()]);
  const killings = [chatKilling, inventoryKilling];
  printCounts('kills', settings, {
    kills: killings.reduce((sum, { kills }) => sum + kills, 0),
    'at points': Object.fromEntries(killings.flatMap(({ atPoints }) => [...atPoints])),
    chat: messages,
    inventory: deliveries,
  });
  // Redis has lost no data, so no event queue may be missing.
  findings.check(messages.refusedQueues === 0, () => `${messages.refusedQueues} times BAD_EVENT_QUEUE_ID`);
  expect(findings.lines).toEqual([]);
}, 3_600_000);
