import { AsyncLocalStorage } from 'node:async_hooks';
import { waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { actionObjectModels } from '../../src/destinations/index.js';
import type { Receiver } from './test-receiver.js';
import { quickSettings, WebhookTestEnvironment, siteChange, type WebhookProcess } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;
let receiver: Receiver;
beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
});
afterEach(() => rig.reset());
afterAll(() => rig.close());

/** Runs a function outside the current transaction, like a request from another client. */
const outside = AsyncLocalStorage.snapshot();

/** Starts a process that has already read the event rules, and a receiver with a webhook that sends to it. */
async function ready(settings = quickSettings()): Promise<WebhookProcess & { hook: number }> {
  receiver = await rig.receiver();
  const hook = await rig.addWebhook(receiver.url);
  const process = rig.process({ settings, outboxSweepMs: 60_000 });
  await knowing();
  return { ...process, hook };
}

/**
 * Waits until the process has read the current event rules. From then on, a change adds no row to the outbox (the table
 * of events to publish).
 */
async function knowing(): Promise<void> {
  const before = await rowsGiven();
  await waitFor(
    async () => {
      const rows = await rowsGiven();
      await rig.commit(siteChange({ model: 'dcim.rack', id: 1 }));
      return (await rowsGiven()) === rows ? true : null;
    },
    { what: `a change without a row, after ${before}` },
  );
}

/** Returns the number of rows that have ever been added to the outbox, including rows that were deleted. */
async function rowsGiven(): Promise<number> {
  const { rows } = await rig.database.query<{ n: string }>(
    'SELECT coalesce(last_value, 0)::text AS n FROM pg_sequences WHERE schemaname = $1 AND sequencename = $2',
    ['queue', 'outbox_id_seq'],
  );
  return Number(rows[0]?.n);
}

const jobsOf = async ({ jobs }: WebhookProcess): Promise<unknown> => {
  const [{ waiting, active, delayed } = { waiting: -1, active: -1, delayed: -1 }] = await jobs.metrics();
  return { waiting, active, delayed };
};
const idle = { waiting: 0, active: 0, delayed: 0 };
const arrived = (): unknown[] => receiver.bodies.map(({ data }) => Object(data).n);
const change = (n: number, id = 9) => siteChange({ id, data: { n } });

describe('inline first attempt of a single change', () => {
  it('starts with the commit, without an outbox row or job', async () => {
    const process = await ready();
    const rows = await rowsGiven();
    receiver.response = () => 'hang';
    await rig.commit(change(1));
    await waitFor(() => arrived().length === 1 || null, { what: 'the delivery' });
    expect([await rowsGiven(), await jobsOf(process)]).toEqual([rows, idle]);
    const [delivery] = await rig.deliveries();
    expect(delivery).toMatchObject({ status: 'queued', attempts: 1, webhook_id: process.hook, object_id: 9 });
  });

  it('writes an attempt record, and leaves the retry after a failure to a job', async () => {
    await ready();
    receiver.response = (_, count) => ({ status: count === 1 ? 500 : 200 });
    await rig.commit(change(1));
    const [delivery] = await rig.settled(1);
    expect(delivery).toMatchObject({ status: 'succeeded', attempts: 2, response_status: 200 });
    const { rows } = await rig.database.query(
      'SELECT number, response_status FROM webhook_delivery_attempts ORDER BY number',
    );
    expect(rows).toEqual([
      { number: 1, response_status: 500 },
      { number: 2, response_status: 200 },
    ]);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('waits for the unfinished delivery of an earlier change of the same object', async () => {
    await ready();
    let release = (): void => {};
    receiver.hold = new Promise((resolve) => (release = resolve));
    for (const n of [1, 2, 3]) await rig.commit(change(n));
    await rig.commit(change(4, 10));
    await waitFor(() => arrived().length === 2 || null, { what: 'both objects' });
    expect(arrived()).toEqual([1, 4]);
    release();
    await rig.settled(4);
    expect(arrived()).toEqual([1, 4, 2, 3]);
  });

  it('applies the current event rules instead of outdated cached rules', async () => {
    await ready();
    await rig.database.query('UPDATE extras_eventrule SET enabled = false');
    await rig.commit(change(1));
    await knowing();
    await rig.database.query('UPDATE extras_eventrule SET enabled = true');
    await rig.commit(change(2));
    await rig.settled(1);
    expect(arrived()).toEqual([2]);
    await knowing();
    await rig.database.query('DELETE FROM extras_webhook');
    await rig.commit(change(3));
    await knowing();
    expect(await rig.deliveries()).toHaveLength(1);
  });

  it('does not wait for an uncommitted deletion of an event rule or webhook', async () => {
    await ready();
    for (const table of ['extras_webhook', 'extras_eventrule']) {
      await rig.database.inTransaction(async (tx) => {
        await tx.query(`DELETE FROM ${table}`);
        await outside(() => rig.commit(change(1)));
      });
      await knowing();
      expect(await rig.deliveries()).toEqual([]);
      await rig.addWebhook(receiver.url);
      await knowing();
    }
  });

  it('depends on triggers that report changes of event rules and of every kind of action object', async () => {
    const { rows } = await rig.database.query<{ name: string }>(
      "SELECT tgrelid::regclass::text AS name FROM pg_trigger WHERE tgname = 'rules_changed'",
    );
    const tables = ['extras_eventrule', ...actionObjectModels.map(({ table }) => table)];
    expect(rows.map(({ name }) => name).toSorted()).toEqual(tables.toSorted());
  });

  it('uses the outbox instead when the version of the event rules is unknown', async () => {
    await ready();
    await rig.database.query('TRUNCATE event_rules_version');
    await rig.commit(change(1));
    await rig.settled(1);
    expect(arrived()).toEqual([1]);
    await rig.database.query('UPDATE extras_eventrule SET name = name');
    await knowing();
  });

  it('becomes a job when all concurrent deliveries to the receiver are in use', async () => {
    const process = await ready(quickSettings({ destinationConcurrency: 1 }));
    let release = (): void => {};
    receiver.hold = new Promise((resolve) => (release = resolve));
    await rig.commit(change(1, 1));
    await waitFor(() => arrived().length === 1 || null, { what: 'the first' });
    await rig.commit(change(2, 2));
    await waitFor(async () => JSON.stringify(await jobsOf(process)) !== JSON.stringify(idle) || null, {
      what: 'a job',
    });
    expect((await rig.deliveries()).map(({ attempts }) => attempts)).toEqual([1, 0]);
    release();
    await rig.settled(2);
    expect(arrived()).toEqual([1, 2]);
  });

  it('delivers the change only once to each webhook', async () => {
    const { hook } = await ready();
    await rig.addRule({ type: 'webhook', objectType: 'extras.webhook', objectId: hook });
    await rig.addWebhook(receiver.url);
    await knowing();
    await rig.commit(change(1));
    const rows = await rig.settled(3);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual(Array(3).fill(['succeeded', 1]));
    expect(arrived()).toEqual([1, 1, 1]);
  });

  it('continues in another process when its process stops', async () => {
    const dying = await ready();
    receiver.response = (_, count) => (count === 1 ? 'hang' : { status: 200 });
    await rig.commit(change(1));
    await waitFor(() => arrived().length === 1 || null, { what: 'the delivery' });
    const other = rig.process();
    await dying.stop();
    const [delivery] = await rig.settled(1);
    expect([delivery?.status, delivery?.attempts, arrived()]).toEqual(['succeeded', 1, [1, 1]]);
    await other.stop();
  });

  it('becomes an outbox row in a process with ROLE=api', async () => {
    receiver = await rig.receiver();
    await rig.addWebhook(receiver.url);
    const rows = await rowsGiven();
    rig.process({ start: false });
    await rig.commit(change(1));
    expect(await rowsGiven()).toBe(rows + 1);
  });

  it('leaves the creation of notifications to the outbox dispatcher', async () => {
    await ready();
    const { rows } = await rig.database.query<{ id: number }>(
      "INSERT INTO extras_notificationgroup (name) VALUES ('group') RETURNING id",
    );
    await rig.addRule({ type: 'notification', objectType: 'extras.notificationgroup', objectId: Number(rows[0]?.id) });
    await knowing();
    const given = await rowsGiven();
    await rig.commit(change(1));
    expect(await rowsGiven()).toBe(given + 1);
    await rig.settled(1);
    expect(arrived()).toEqual([1]);
  });
});
