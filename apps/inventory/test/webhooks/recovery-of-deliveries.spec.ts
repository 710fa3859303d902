import type { QueueTx } from '@switchboard/queue';
import { waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inventoryChangeOutboxMessageType } from '../../src/changes/inventory-change-message.js';
import { Receiver } from './test-receiver.js';
import { quickSettings, WebhookTestEnvironment, siteChange } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;
let target: Receiver;

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
});
afterEach(async () => {
  await rig.reset();
  await target.stop();
});
afterAll(() => rig.close());

async function startTarget(...args: ConstructorParameters<typeof Receiver>): Promise<void> {
  target = await new Receiver(...args).start();
  await rig.addWebhook(target.url);
}

/**
 * Returns a database in which the first statement that matches `fatal` fails. The effect is the same as if the process
 * had died at that statement.
 */
function dyingAt(fatal: RegExp): QueueTx {
  let dead = false;
  return {
    query: (sql, params) => {
      if (!dead && fatal.test(sql)) {
        dead = true;
        return Promise.reject(new Error('killed here'));
      }
      return rig.database.query(sql, params);
    },
  };
}

describe('webhook deliveries after a crash', () => {
  it('include the deliveries of committed changes that were never dispatched', async () => {
    await startTarget();
    const change = siteChange();
    await rig.database.query('INSERT INTO queue.outbox (topic, version, payload, key) VALUES ($1, 1, $2::json, $3)', [
      inventoryChangeOutboxMessageType.name,
      JSON.stringify(change),
      'dcim.site:9',
    ]);
    rig.process();
    await rig.settled(1);
    expect(target.bodies).toMatchObject([{ request_id: change.requestId }]);
  });

  it('include a stored delivery whose job is missing', async () => {
    await startTarget();
    // This process dispatches the rows that it commits but runs no jobs. Redis then loses the job that the process
    // added.
    rig.process({ start: false });
    await rig.commit(siteChange());
    await waitFor(async () => (await rig.deliveries()).length === 1);
    await rig.loseRedis();
    rig.process();
    expect(await rig.settled(1)).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
    expect(target.requests).toHaveLength(1);
  });

  it('include a retry that Redis lost', async () => {
    await startTarget((_request, count) => ({ status: count === 1 ? 500 : 200 }));
    const settings = quickSettings({ retry: { ...quickSettings().retry, initialMs: 500 } });
    const first = rig.process({ settings });
    await rig.commit(siteChange());
    await waitFor(async () => (await rig.deliveries())[0]?.response_status === 500);
    await first.stop();
    await rig.loseRedis();
    rig.process({ settings });
    expect(await rig.settled(1)).toMatchObject([{ status: 'succeeded', attempts: 2 }]);
  });

  it('repeat a delivery with the same id when its outcome was not recorded', async () => {
    await startTarget();
    // The lease is long enough for an attempt on a slow machine.
    const settings = quickSettings({ leaseMs: 1_000 });
    rig.process({ settings, database: dyingAt(/SET status/) });
    await rig.commit(siteChange());
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'succeeded', attempts: 2 });
    expect(target.requests.map(({ headers }) => headers['webhook-id'])).toEqual([row?.id, row?.id]);
  });

  it('include a delivery that waited for a delivery in the process that died', async () => {
    await startTarget((_request, count) => ({ status: count === 1 ? 500 : 200 }));
    rig.process({ database: dyingAt(/greatest\(next_attempt_at/) });
    await rig.commit(siteChange({ event: 'created' }));
    await rig.commit(siteChange({ event: 'updated' }));
    await rig.settled(2);
    expect(target.bodies.map(({ event }) => event)).toEqual(['created', 'created', 'updated']);
  });

  it('remain unfinished when the process stops, and do not count the interrupted attempt', async () => {
    await startTarget((_request, count) => (count === 1 ? 'hang' : { status: 200 }));
    const settings = quickSettings({ leaseMs: 60_000 });
    const slow = { ...settings, outbound: { ...settings.outbound, headersTimeoutMs: 60_000, totalTimeoutMs: 60_000 } };
    const first = rig.process({ settings: slow });
    await rig.commit(siteChange());
    await waitFor(() => target.requests.length === 1);
    await first.stop();
    expect(await rig.deliveries()).toMatchObject([{ status: 'queued', attempts: 0 }]);
    rig.process({ settings: slow });
    const [row] = await rig.settled(1);
    expect(row).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(target.requests[1]?.headers['webhook-id']).toBe(row?.id);
  });
});

describe('backlog of deliveries', () => {
  it('adds no second job for deliveries that already have a job', async () => {
    await startTarget();
    let respond = (): void => {};
    target.hold = new Promise((resolve) => (respond = resolve));
    const settings = quickSettings({ concurrency: 2, sweepMs: 60_000, leaseMs: 60_000 });
    // Both attempts last until the receiver responds. An attempt that reaches its time limit would be repeated.
    const outbound = { ...settings.outbound, headersTimeoutMs: 60_000, totalTimeoutMs: 60_000 };
    const { jobs, webhooks } = rig.process({ settings: { ...settings, outbound } });
    await rig.commit(...Array.from({ length: 12 }, (_, index) => siteChange({ id: index + 1 })));
    await waitFor(() => target.requests.length === 2);
    await rig.database.query(
      "UPDATE webhook_deliveries SET next_attempt_at = now() - interval '10 s' WHERE attempts = 0",
    );
    const waiting = async (): Promise<number | undefined> => (await jobs.metrics())[0]?.waiting;
    expect(await waiting()).toBe(10);
    expect(await webhooks.engine.sweep.addMissingDeliveryJobs()).toBe(0);
    expect(await waiting()).toBe(10);
    // A process that died had claimed one of the deliveries, and its job is lost.
    await rig.database.query(
      `UPDATE webhook_deliveries SET attempts = 1, next_attempt_at = now() - interval '1 h'
        WHERE id = (SELECT id FROM webhook_deliveries WHERE attempts = 0 ORDER BY sequence DESC LIMIT 1)`,
    );
    expect(await webhooks.engine.sweep.addMissingDeliveryJobs()).toBe(1);
    expect(await webhooks.engine.sweep.addMissingDeliveryJobs()).toBe(0);
    expect(await waiting()).toBe(11);
    respond();
    await rig.settled(12);
    expect(target.requests).toHaveLength(12);
  });
});

describe('several worker processes', () => {
  it('deliver each change only once', async () => {
    await startTarget();
    rig.process();
    rig.process();
    const changes = Array.from({ length: 60 }, (_, index) => siteChange({ id: (index % 20) + 1 }));
    for (const change of changes) await rig.commit(change);
    const rows = await rig.settled(60);
    expect(rows.every(({ status, attempts }) => status === 'succeeded' && attempts === 1)).toBe(true);
    expect(target.requests).toHaveLength(60);
    for (let id = 1; id <= 20; id += 1) {
      const wanted = changes.filter((change) => change.id === id).map(({ requestId }) => requestId);
      const got = target.bodies.filter(({ data }) => (data as { id: number }).id === id);
      expect(got.map(({ request_id: requestId }) => requestId)).toEqual(wanted);
    }
  });
});

describe('deliveries of one object to one webhook', () => {
  it('wait for each other, but not for deliveries of other objects', async () => {
    let sick = true;
    await startTarget(({ body }) => ({ status: sick && body.includes('"id":1,') ? 500 : 200 }));
    rig.process({ settings: quickSettings({ retry: { ...quickSettings().retry, retries: 20, factor: 1 } }) });
    await rig.commit(siteChange({ id: 1, event: 'created' }), siteChange({ id: 2 }));
    await rig.commit(siteChange({ id: 1, event: 'updated' }));
    await waitFor(async () =>
      (await rig.deliveries()).some(({ object_id: id, status }) => id === 2 && status === 'succeeded'),
    );
    await waitFor(() => target.bodies.filter(({ event }) => event === 'created').length >= 3);
    expect(await rig.deliveries()).toMatchObject([
      { object_id: 1, event: 'created', status: 'queued' },
      { object_id: 2, status: 'succeeded' },
      { object_id: 1, event: 'updated', status: 'queued', attempts: 0 },
    ]);
    sick = false;
    await rig.settled(3);
    expect(target.bodies.at(-1)).toMatchObject({ event: 'updated' });
  });

  it('continue after one delivery has failed permanently', async () => {
    await startTarget((_request, count) => ({ status: count <= 2 ? 500 : 200 }));
    rig.process({ settings: quickSettings({ retry: { ...quickSettings().retry, retries: 1 } }) });
    await rig.commit(siteChange({ event: 'created' }));
    await rig.commit(siteChange({ event: 'updated' }));
    expect(await rig.settled(2)).toMatchObject([
      { event: 'created', status: 'failed', attempts: 2 },
      { event: 'updated', status: 'succeeded', attempts: 1 },
    ]);
  });

  it('reach different webhooks independently', async () => {
    await startTarget(() => ({ status: 500 }));
    const other = await new Receiver().start();
    await rig.addWebhook(other.url);
    rig.process({ settings: quickSettings({ retry: { ...quickSettings().retry, initialMs: 60_000 } }) });
    await rig.commit(siteChange({ event: 'created' }));
    await rig.commit(siteChange({ event: 'updated' }));
    await waitFor(() => other.requests.length === 2 && target.requests.length === 1);
    await other.stop();
  });
});
