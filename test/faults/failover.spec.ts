import { afterEach, describe, expect, it } from 'vitest';
import { ChatCase } from './chat/chat-case.js';
import { type PrimaryLoss, primaryLosses, shortPrimaryLosses } from './failover/primary-losses.js';
import { waitForWrites, WriteTimes } from './failover/write-times.js';
import { Findings } from './findings.js';
import { InventoryCase } from './inventory/inventory-case.js';
import { printCounts } from './print-counts.js';
import { Random } from './random.js';
import { readFaultSettings } from './settings.js';
import type { ReplicationMode } from './stores/postgres-pair.js';
import { type ReplicatedStores, startReplicatedStores } from './stores/replicated-stores.js';

const settings = readFaultSettings();
const random = new Random(settings.seed);

/** Number of writes of each service before the loss of the primary, and in each step after the promotion. */
const writesPerStep = settings.losesPrimaryInAllWays ? 40 : 20;
/**
 * Maximum time from the promotion to the first write, in milliseconds. Both forms print the time. Only the long form
 * compares it, because the machine of a short one may be busy.
 */
const firstWriteMs = 10_000;
/** Maximum time for the writes of a step, in milliseconds. */
const stepMs = 180_000;
const testTimeoutMs = 900_000;

interface Load {
  readonly stores: ReplicatedStores;
  readonly chat: ChatCase;
  readonly inventory: InventoryCase;
  readonly services: readonly (ChatCase | InventoryCase)[];
  readonly findings: Findings;
}

let stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  stops = [];
}, 300_000);

async function startLoad(mode: ReplicationMode): Promise<Load> {
  const findings = new Findings();
  const stores = await startReplicatedStores('failover', mode);
  stops.push(() => stores.stop());
  const parts = { stores, random: random.fork(), findings, apis: 2, workers: 1 };
  const [chat, inventory] = await Promise.all([ChatCase.start(parts), InventoryCase.start({ ...parts, doingAll: 0 })]);
  const services = [chat, inventory];
  stops.push(async () => void (await Promise.all(services.map((one) => one.stop()))));
  await chat.begin();
  inventory.begin();
  return { stores, chat, inventory, services, findings };
}

/** Checks that all processes run and responded to each request. */
function checkProcesses({ services, findings }: Load): void {
  for (const { deployment } of services) {
    deployment.checkRunning(findings);
    const { cut, refused } = deployment.proxy;
    findings.check(cut + refused === 0, () => `${cut + refused} requests got no response`);
  }
}

describe('failover of PostgreSQL with a synchronous standby', () => {
  const losses = settings.losesPrimaryInAllWays ? primaryLosses : shortPrimaryLosses;

  it.each(losses.map((loss) => [loss.name, loss] as const))(
    'loses no acknowledged write when the primary %s',
    async (_, loss: PrimaryLoss) => {
      const load = await startLoad('synchronous');
      const { stores, chat, inventory, services, findings } = load;
      const times = services.map((one) => new WriteTimes(one));
      const watched = new AbortController();
      const watching = Promise.all(times.map((one) => one.watch(watched.signal)));
      const writeMore = (count: number): Promise<number[]> =>
        Promise.all(services.map((one) => waitForWrites(one, count, stepMs)));
      await writeMore(writesPerStep);

      const endFormerPrimary = await loss.run(stores);
      const firstWrites = await writeMore(1);
      await writeMore(writesPerStep);
      if (endFormerPrimary !== null) {
        await endFormerPrimary();
        await writeMore(writesPerStep);
      }
      watched.abort();
      await watching;

      checkProcesses(load);
      const writes = services.reduce((sum, one) => sum + one.writes, 0);
      const [messages, deliveries] = await Promise.all([chat.end(), inventory.end()]);
      printCounts(`of a failover whose primary ${loss.name}`, settings, {
        writes,
        losses: messages.unstored + deliveries.unstored,
        chat: messages,
        inventory: deliveries,
        'first write after the promotion (ms)': firstWrites.map(Math.round).join(', '),
        'longest gap between writes (ms)': times.map(({ longestGapMs }) => Math.round(longestGapMs)).join(', '),
      });
      findings.check(messages.refusedQueues === 0, () => `${messages.refusedQueues} times BAD_EVENT_QUEUE_ID`);
      for (const ms of settings.comparesTimes ? firstWrites : []) {
        findings.check(ms <= firstWriteMs, () => `the first write succeeded after ${ms} ms`);
      }
      expect(findings.lines).toEqual([]);
    },
    testTimeoutMs,
  );
});
