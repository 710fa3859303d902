import { afterEach, describe, expect, it } from 'vitest';
import { ChatCase } from './chat/chat-case.js';
import { checkMessages } from './chat/check-messages.js';
import { CutOffWrites } from './failover/cut-off-writes.js';
import { createLostRows, findOtherResults } from './failover/lost-rows.js';
import { type PrimaryLoss, primaryLosses, shortPrimaryLosses } from './failover/primary-losses.js';
import { compareWithRestartedProcesses } from './failover/restarted-processes.js';
import { SecondRealm } from './failover/second-realm.js';
import { waitForWrites, WriteTimes } from './failover/write-times.js';
import { pause } from './abortable-pause.js';
import { Findings } from './findings.js';
import { InventoryCase } from './inventory/inventory-case.js';
import { printCounts } from './print-counts.js';
import { Random } from './random.js';
import { readFaultSettings } from './settings.js';
import type { ReplicationMode } from './stores/postgres-pair.js';
import { type ReplicatedStores, startReplicatedStores } from './stores/replicated-stores.js';

const settings = readFaultSettings();
const random = new Random(settings.seed);

/**
 * Number of writes of each service before the loss of the primary database server, and in each step after the promotion
 * of the standby.
 */
const writesPerStep = settings.losesPrimaryInAllWays ? 40 : 20;
/**
 * Maximum time from the promotion of the standby to the first write, in milliseconds. The short and the long form of
 * the test print the time. Only the long form checks the maximum, because the machine of a short run may be busy.
 */
const firstWriteMs = 10_000;
/** Minimum number of commits of each load that an asynchronous standby lacks at its promotion. */
const lostWrites = 50;
/**
 * Maximum time in milliseconds for the reaction to the promotion. After this time, all event queues were refused and no
 * response contains a lost row.
 */
const reactionMs = 10_000;
/** Maximum time for the writes of one step of the test, in milliseconds. */
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
  const dropsMessages = mode === 'asynchronous';
  const { readingUsers, writePauseMs } = settings;
  // The short form needs no second API process, because no process ends.
  const apis = settings.losesPrimaryInAllWays ? 2 : 1;
  const parts = { stores, random: random.fork(), findings, apis, workers: 1, dropsMessages, writePauseMs };
  const [chat, inventory] = await Promise.all([
    ChatCase.start({ ...parts, readingUsers }),
    InventoryCase.start({ ...parts, doingAll: 0 }),
  ]);
  const services = [chat, inventory];
  stops.push(async () => void (await Promise.all(services.map((one) => one.stop()))));
  await chat.begin();
  inventory.begin();
  return { stores, chat, inventory, services, findings };
}

/** Checks that all service processes run and that each request got a response. */
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

/** Waits until a condition is true. Returns the time from `startedAt` until the condition was true, in milliseconds. */
async function waitFor(problem: string, startedAt: number, check: () => Promise<boolean> | boolean): Promise<number> {
  while (!(await check())) {
    if (performance.now() - startedAt > stepMs) throw new Error(`after ${stepMs} ms ${problem}`);
    await pause(50);
  }
  return performance.now() - startedAt;
}

/** Starts a second realm. The only user of the realm writes until the loss of the primary database server. */
async function startSecondRealm({ chat, findings }: Load): Promise<SecondRealm> {
  const second = await SecondRealm.create(chat.deployment, { random: random.fork(), findings });
  stops.push(() => second.stop());
  await second.begin();
  return second;
}

// The short form has only the case above.
if (settings.losesPrimaryInAllWays) {
  describe('failover of PostgreSQL with an asynchronous standby', () => {
    it.each(primaryLosses.map((loss) => [loss.name, loss] as const))(
      'refuses each event queue once and drops lost rows from memory when the primary %s',
      async (_, loss: PrimaryLoss) => {
        const load = await startLoad('asynchronous');
        const { stores, chat, inventory, services, findings } = load;
        const second = await startSecondRealm(load);
        const times = services.map((one) => new WriteTimes(one));
        const watched = new AbortController();
        const watching = Promise.all(times.map((one) => one.watch(watched.signal)));
        const writeMore = (loads: readonly { readonly writes: number }[], count: number): Promise<number[]> =>
          Promise.all(loads.map((one) => waitForWrites(one, count, stepMs)));
        await writeMore([...services, second], writesPerStep);

        const cutOffWrites = new CutOffWrites([...chat.writers, second.writer], inventory.writers, inventory.receiver);
        await stores.pair.waitForStandby();
        await stores.pair.cutReplication();
        const { checks, changes } = await createLostRows(chat, inventory);
        // Responses of the second time come from memory.
        for (let time = 1; time <= 2; time += 1) expect(await findOtherResults(checks, true)).toEqual([]);
        await writeMore([...services, second], lostWrites);
        await second.stopWriting();
        for (const writer of inventory.writers) writer.leaveSites();

        const endFormerPrimary = await loss.run(stores);
        const promotedAt = performance.now();
        const possibleLoss = cutOffWrites.end(changes);
        const readers = [...chat.readers, ...second.readers];
        const [firstWrites, refusalsMs, absenceMs] = await Promise.all([
          writeMore(services, 1),
          waitFor('not all queues were refused', promotedAt, () => readers.every(({ refused }) => refused > 0)),
          waitFor('responses contain lost rows', promotedAt, async () => {
            return (await findOtherResults(checks, false)).length === 0;
          }),
        ]);
        await writeMore(services, writesPerStep);
        await endFormerPrimary?.();
        await writeMore(services, writesPerStep);
        watched.abort();
        await watching;

        for (const line of await findOtherResults(checks, false)) findings.add(`after all writes: ${line}`);
        checkProcesses(load);
        const writes = services.reduce((sum, one) => sum + one.writes, second.writes);
        const [messages, deliveries] = await Promise.all([chat.end(possibleLoss.cutOff), inventory.end(possibleLoss)]);
        const { user, writer } = second;
        const secondParts = { user, writers: [writer], readers: second.readers, findings, cutOff: possibleLoss.cutOff };
        const secondMessages = await checkMessages(secondParts);
        printCounts(`of an asynchronous failover whose primary ${loss.name}`, settings, {
          writes,
          losses: possibleLoss.cutOff.size,
          chat: messages,
          'second realm': secondMessages,
          inventory: deliveries,
          'first write after the promotion (ms)': firstWrites.map(Math.round).join(', '),
          'longest gap between writes (ms)': times.map(({ longestGapMs }) => Math.round(longestGapMs)).join(', '),
          'last refused queue after the promotion (ms)': Math.round(refusalsMs),
          'no lost row after the promotion (ms)': Math.round(absenceMs),
        });
        for (const { name, refused } of readers) {
          findings.check(refused === 1, () => `${name}: queue refused ${refused} times`);
        }
        for (const { unstored } of [messages, secondMessages]) {
          findings.check(unstored >= lostWrites, () => `only ${unstored} acknowledged messages were lost`);
        }
        findings.check(
          firstWrites.every((ms) => ms <= firstWriteMs),
          () => `first writes after ${firstWrites.join()} ms`,
        );
        findings.check(refusalsMs <= reactionMs, () => `queues were refused after ${refusalsMs} ms`);
        findings.check(absenceMs <= reactionMs, () => `lost rows were in responses for ${absenceMs} ms`);
        for (const line of await compareWithRestartedProcesses(chat, inventory)) findings.add(line);
        expect(findings.lines).toEqual([]);
      },
      testTimeoutMs,
    );
  });
}
