import { waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookSettings } from '../../src/webhooks/index.js';
import { quickSettings, WebhookTestEnvironment, siteChange, type DeliveryRow } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
});
afterEach(() => rig.reset());
afterAll(() => rig.close());

const hour = 3_600_000;
const quick = quickSettings();
/**
 * Settings with which retries happen only after hours. An attempt that happens earlier must therefore have another
 * cause.
 */
const patient: WebhookSettings = {
  ...quick,
  breaker: { failures: 2, openMs: hour, maxOpenMs: hour, probeWaitMs: 100 },
  retry: { ...quick.retry, initialMs: hour, maxMs: 4 * hour, retries: 5 },
};

interface Shown {
  id: string;
  waiting_for: string | null;
  error: string | null;
  isLater: boolean;
}

/** Returns the queued webhook deliveries in the form that the API shows, oldest delivery first. */
async function shown(): Promise<Shown[]> {
  const { rows } = await rig.database.query<Shown>(
    `SELECT delivery_id AS id, waiting_for, error, next_attempt_at > now() AS "isLater"
       FROM extras_webhookdelivery d WHERE status = 'queued' ORDER BY d.id`,
  );
  return rows;
}

const waitingFor = (reasons: readonly (string | null)[]): Promise<Shown[]> =>
  waitFor(
    async () => {
      const rows = await shown();
      return JSON.stringify(rows.map((row) => row.waiting_for)) === JSON.stringify(reasons) ? rows : null;
    },
    { what: `deliveries that wait for ${reasons.join(', ')}` },
  );

describe('local webhook receiver that starts after the changes', () => {
  it.each(['the process that sends is the one that failed', 'the process that sends was restarted'])(
    'receives the deliveries of these changes in order within seconds when %s',
    async (which) => {
      const receiver = await rig.receiver();
      await rig.addWebhook(receiver.url);
      await receiver.stop();
      const first = rig.process({ settings: patient });
      await rig.commit(...[1, 2, 3, 4].map((id) => siteChange({ id, event: 'created' })));
      await rig.commit(siteChange({ id: 1, event: 'updated' }));
      await waitFor(async () => (await shown()).every(({ isLater }) => isLater) && (await shown()).length === 5);
      if (which.endsWith('restarted')) {
        await first.stop();
        rig.process({ settings: patient });
      }
      await receiver.start();
      const startedMs = Date.now();
      const rows = await rig.settled(5);
      expect(Date.now() - startedMs).toBeLessThan(10_000);
      expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
      expect(receiver.requests).toHaveLength(5);
      expect(receiver.bodies.flatMap(({ event, data }) => ((data as { id: number }).id === 1 ? [event] : []))).toEqual([
        'created',
        'updated',
      ]);
    },
  );

  it('receives a delivery whose refused attempt is stored only after the receiver was seen to accept connections', async () => {
    const receiver = await rig.receiver();
    await rig.addWebhook(receiver.url);
    await receiver.stop();
    const client = await rig.database.pool.connect();
    try {
      await client.query('SELECT pg_advisory_lock(4711)');
      await client.query(`
        CREATE FUNCTION delay_retry() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END';
        CREATE TRIGGER delay_retry BEFORE UPDATE ON webhook_deliveries FOR EACH ROW
          WHEN (NEW.waiting_for = 'retry' AND OLD.lane LIKE '%2') EXECUTE FUNCTION delay_retry()`);
      // With a longer lease, nothing else sends the delivery again during the test.
      rig.process({ settings: { ...patient, leaseMs: 120_000 } });
      await rig.commit(siteChange({ id: 1 }), siteChange({ id: 2 }));
      await waitFor(async () => {
        const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted AND objid = 4711');
        return rows.length === 1 && (await shown()).some(({ waiting_for }) => waiting_for === 'retry');
      });
      await receiver.start();
      await waitFor(() => receiver.requests.length === 1);
      await client.query('SELECT pg_advisory_unlock(4711)');
      await rig.settled(2);
      expect(receiver.requests).toHaveLength(2);
    } finally {
      await client.query('SELECT pg_advisory_unlock_all()');
      await client.query('DROP FUNCTION IF EXISTS delay_retry CASCADE');
      client.release(true);
    }
  });

  it('uses up one attempt when the receiver accepts each connection and closes it, also after further failures', async () => {
    const receiver = await rig.receiver(() => 'reset');
    await rig.addWebhook(receiver.url);
    await receiver.stop();
    const { webhooks } = rig.process({ settings: patient });
    await rig.commit(siteChange());
    await waitingFor(['retry']);
    for (let restart = 0; restart < 3; restart += 1) {
      await receiver.start();
      await webhooks.engine.loopbackWatch.checkUnresponsiveReceivers();
      await waitingFor(['retry']);
      await receiver.stop();
      await webhooks.engine.loopbackWatch.checkUnresponsiveReceivers();
    }
    expect(await rig.deliveries()).toMatchObject([{ attempts: 2 }]);
  });

  it('uses up one attempt when the receiver accepts connections but does not respond', async () => {
    const receiver = await rig.receiver();
    await rig.addWebhook(receiver.url.replace('http:', 'https:'));
    const { webhooks } = rig.process({ settings: patient });
    await rig.commit(siteChange());
    await waitingFor(['retry']);
    for (let look = 0; look < 4; look += 1) {
      await webhooks.engine.loopbackWatch.checkUnresponsiveReceivers();
      await waitingFor(['retry']);
    }
    expect(await rig.deliveries()).toMatchObject([{ attempts: 2 }]);
  });
});

describe('webhook delivery that waits', () => {
  it('shows whether the delivery waits for its next attempt or for an earlier delivery', async () => {
    const receiver = await rig.receiver(() => ({ status: 500 }));
    await rig.addWebhook(receiver.url);
    rig.process({ settings: patient });
    await rig.commit(siteChange({ id: 1, event: 'created' }), siteChange({ id: 1, event: 'updated' }));
    const [retry, behind] = await waitingFor(['retry', 'earlier_delivery']);
    expect(retry).toMatchObject({ isLater: true, error: expect.stringContaining('500') });
    expect(behind).toMatchObject({
      isLater: true,
      error: expect.stringMatching(/^Waits for delivery \d+, an earlier one/),
    });
  });

  it('shows that the delivery waits for an unresponsive receiver', async () => {
    const receiver = await rig.receiver(() => 'reset');
    await rig.addWebhook(receiver.url);
    rig.process({ settings: { ...patient, destinationConcurrency: 1 } });
    await rig.commit(siteChange({ id: 1 }));
    await rig.commit(siteChange({ id: 2 }));
    await waitingFor(['retry', 'retry']);
    await rig.commit(siteChange({ id: 3 }));
    const [, , third] = await waitingFor(['retry', 'retry', 'breaker']);
    expect(third).toMatchObject({ isLater: true, error: expect.stringContaining(`${receiver.url} does not respond`) });
  });

  const row = async (id: string | undefined): Promise<DeliveryRow | undefined> =>
    (await rig.deliveries()).find((delivery) => delivery.id === id);

  it('starts immediately when requeued before the next attempt, and retains its number of attempts', async () => {
    const receiver = await rig.receiver((_request, count) => ({ status: count === 1 ? 500 : 200 }));
    await rig.addWebhook(receiver.url);
    rig.process({ settings: patient });
    await rig.commit(siteChange({ id: 1 }), siteChange({ id: 1, event: 'updated' }));
    const [retry, behind] = await waitingFor(['retry', 'earlier_delivery']);
    expect(await rig.requeue(behind!.id)).toBe(0);
    expect(await rig.requeue(retry!.id)).toBe(1);
    await rig.settled(2);
    expect(await row(retry!.id)).toMatchObject({ status: 'succeeded', attempts: 2, requeued_after: 0 });
  });

  it('makes the open circuit breaker try the receiver again when requeued', async () => {
    const receiver = await rig.receiver(() => 'reset');
    await rig.addWebhook(receiver.url);
    const { webhooks } = rig.process({ settings: { ...patient, destinationConcurrency: 1 } });
    await rig.commit(siteChange({ id: 1 }));
    await rig.commit(siteChange({ id: 2 }));
    await waitingFor(['retry', 'retry']);
    await rig.commit(siteChange({ id: 3 }));
    const [, , third] = await waitingFor(['retry', 'retry', 'breaker']);
    expect(webhooks.engine.breakers.openCircuitBreakerCount).toBe(1);
    receiver.response = () => ({ status: 200 });
    expect(await rig.requeue(third!.id)).toBe(1);
    await waitFor(async () => (await row(third!.id))?.status === 'succeeded');
    await waitFor(() => webhooks.engine.breakers.openCircuitBreakerCount === 0);
  });

  it('cannot be requeued while an attempt is running', async () => {
    const receiver = await rig.receiver(() => 'hang');
    await rig.addWebhook(receiver.url);
    rig.process({ settings: patient });
    await rig.commit(siteChange({ id: 1 }));
    await waitFor(() => receiver.requests.length === 1);
    const [delivery] = await rig.deliveries();
    expect(await rig.requeue(delivery!.id)).toBe(0);
  });
});
