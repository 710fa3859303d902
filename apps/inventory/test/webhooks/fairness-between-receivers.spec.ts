import { processClock, type QueueClock } from '@switchboard/queue';
import { TestCertificateAuthority, waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookSettings } from '../../src/webhooks/index.js';
import type { PlannedResponse } from './test-receiver.js';
import { quickSettings, WebhookTestEnvironment, siteChange, type DeliveryRow } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
});
afterEach(() => rig.reset());
afterAll(() => rig.close());

const objects = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => siteChange({ id: from + index }));

const logged = (text: string): number => rig.logs.filter((line) => line.includes(text)).length;

describe('receiver that does not respond to webhooks', () => {
  const patient = quickSettings();
  const settings = quickSettings({
    concurrency: 4,
    destinationConcurrency: 2,
    leaseMs: 60_000,
    outbound: { ...patient.outbound, headersTimeoutMs: 50_000, totalTimeoutMs: 55_000 },
  });

  it('occupies only its share of concurrent deliveries, so that other receivers get deliveries', async () => {
    const hanging = await rig.receiver(() => 'hang');
    const healthy = await rig.receiver();
    await rig.addWebhook(hanging.url, {}, { name: 'a' });
    rig.process({ settings });
    await rig.commit(...objects(1, 12));
    await waitFor(() => hanging.requests.length === 2);
    await rig.addWebhook(healthy.url, {}, { name: 'b' });
    await rig.commit(...objects(101, 30));
    const waiting = await waitFor(async () => {
      const rows = await rig.deliveries();
      const queued = rows.filter(({ status }) => status === 'queued');
      return rows.length - queued.length === 30 ? queued : null;
    });
    expect([hanging.requests.length, healthy.requests.length]).toEqual([2, 30]);
    expect(waiting).toHaveLength(42);
    expect(waiting.filter(({ attempts }) => attempts > 0)).toHaveLength(2);
  });

  it('occupies only one share of concurrent deliveries, however many webhooks use the receiver', async () => {
    const hanging = await rig.receiver(() => 'hang');
    const healthy = await rig.receiver();
    for (const path of ['/a', '/b?c', '']) await rig.addWebhook(`${hanging.url}${path}`);
    rig.process({ settings });
    await rig.commit(...objects(1, 4));
    await waitFor(() => hanging.requests.length === 2);
    await rig.addWebhook(healthy.url, {}, { objectTypes: ['dcim.region'] });
    await rig.commit(siteChange({ model: 'dcim.region' }));
    await waitFor(() => healthy.requests.length === 1);
    expect(hanging.requests).toHaveLength(2);
  });

  it('receives each waiting delivery once after the receiver responds again', async () => {
    let release = (): void => {};
    const slow = await rig.receiver();
    const held = new Promise<void>((resolve) => (release = resolve));
    slow.hold = held;
    await rig.addWebhook(slow.url);
    rig.process({ settings });
    await rig.commit(...objects(1, 10));
    await waitFor(() => slow.requests.length === 2);
    release();
    const rows = await rig.settled(10);
    expect(rows.every(({ status, attempts }) => status === 'succeeded' && attempts === 1)).toBe(true);
    expect(slow.requests).toHaveLength(10);
  });
});

describe('deliveries of a bulk change', () => {
  it('wait behind deliveries of other changes, but a later delivery of the same object does not overtake them', async () => {
    const target = await rig.receiver();
    let release = (): void => {};
    target.hold = new Promise((resolve) => (release = resolve));
    await rig.addWebhook(target.url);
    const outbound = { ...quickSettings().outbound, headersTimeoutMs: 50_000, totalTimeoutMs: 55_000 };
    const settings = quickSettings({ concurrency: 1, destinationConcurrency: 1, leaseMs: 60_000, outbound });
    const { jobs } = rig.process({ settings });
    const waiting = (count: number) => waitFor(async () => (await jobs.metrics())[0]?.waiting === count);
    await rig.commit(siteChange({ id: 500 }));
    await waitFor(() => target.requests.length === 1);
    await rig.commit(...objects(1, 60));
    await waiting(60);
    await rig.commit(siteChange({ id: 60, data: { id: 60, isLater: true } }), siteChange({ id: 501 }));
    // The later delivery of object 60 gets no job before the earlier one is finished.
    await waiting(61);
    release();
    const rows = await rig.settled(63);
    expect(rows.every(({ status, attempts }) => status === 'succeeded' && attempts === 1)).toBe(true);
    const sent = target.bodies.map(({ data }) => data as { id: number; isLater?: boolean });
    expect(sent[1]?.id).toBe(501);
    expect(sent.filter(({ id }) => id === 60).map(({ isLater }) => isLater === true)).toEqual([false, true]);
  });
});

describe('circuit breaker of a receiver', () => {
  /** Number of milliseconds by which the clock of the circuit breakers is ahead of real time. */
  let skippedMs = 0;
  const clock: QueueClock = { ...processClock, now: () => Date.now() + skippedMs };

  const hour = 3_600_000;
  const breaking = (changes: Partial<WebhookSettings> = {}): WebhookSettings => {
    const quick = quickSettings();
    return {
      ...quick,
      concurrency: 4,
      destinationConcurrency: 1,
      breaker: { failures: 2, openMs: hour, maxOpenMs: 3 * hour, probeWaitMs: 100 },
      retry: { ...quick.retry, retries: 20 },
      outbound: { ...quick.outbound, headersTimeoutMs: 400 },
      ...changes,
    };
  };

  const attempts = (rows: readonly DeliveryRow[]): number => rows.reduce((sum, row) => sum + row.attempts, 0);
  const minutesFromNow = (at: Date | null): number => ((at?.getTime() ?? 0) - Date.now()) / 60_000;

  /** Makes all queued deliveries due, and moves the clock of the circuit breakers forward by `ms` milliseconds. */
  async function pass(ms: number): Promise<void> {
    skippedMs += ms;
    await rig.database.query(
      "UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 min' WHERE status = 'queued'",
    );
  }

  async function allWaiting(count: number): Promise<DeliveryRow[]> {
    const waiting = async (): Promise<DeliveryRow[] | null> => {
      const rows = await rig.deliveries();
      const future = rows.filter(({ next_attempt_at: at }) => minutesFromNow(at) > 30);
      return rows.length === count && future.length === count ? rows : null;
    };
    return waitFor(waiting, { what: `${count} deliveries that wait for the receiver` });
  }

  it('stays closed when one webhook rejects the certificate of the receiver but another webhook accepts it', async () => {
    const authority = await TestCertificateAuthority.create();
    const target = await rig.receiver(undefined, await authority.issueCertificate(['127.0.0.1']));
    await rig.addWebhook(`${target.url}/strict`, {}, { name: 'a' });
    await rig.addWebhook(`${target.url}/trusting`, { ssl_verification: false }, { name: 'b' });
    const { webhooks } = rig.process({ settings: breaking(), clock });
    await rig.commit(...objects(1, 6));
    await waitFor(() => target.requests.length === 6);
    const rows = await waitFor(async () => {
      const found = await rig.deliveries();
      const strict = found.filter(({ status }) => status === 'queued');
      return strict.length === 6 && strict.every((row) => row.attempts > 0) ? found : null;
    });
    expect(rows.filter(({ status }) => status === 'succeeded')).toHaveLength(6);
    expect([webhooks.engine.breakers.openCircuitBreakerCount, webhooks.engine.breakers.changes]).toEqual([
      0,
      { opened: 0, closed: 0 },
    ]);
  });

  it.each<[string, () => PlannedResponse]>([
    ['runs into a limit of time', () => 'hang'],
    ['cuts connections', () => 'reset'],
  ])('sends only a probe after the receiver %s, and waiting deliveries use up no attempts', async (_how, sick) => {
    const target = await rig.receiver(sick);
    await rig.addWebhook(target.url);
    const { webhooks } = rig.process({ settings: breaking(), clock });
    await rig.commit(...objects(1, 8));
    const rows = await allWaiting(8);
    expect(target.requests).toHaveLength(2);
    expect(attempts(rows)).toBe(2);
    expect(rows.every(({ status }) => status === 'queued')).toBe(true);
    expect([webhooks.engine.breakers.openCircuitBreakerCount, webhooks.engine.breakers.changes]).toEqual([
      1,
      { opened: 1, closed: 0 },
    ]);
    expect(logged('webhook receiver cannot be reached')).toBe(1);

    await pass(hour + 60_000);
    await waitFor(() => logged('still cannot be reached') === 1);
    const again = await allWaiting(8);
    expect(target.requests).toHaveLength(3);
    expect(attempts(again)).toBe(3);

    target.response = () => ({ status: 200 });
    await pass(3 * hour);
    const done = await rig.settled(8);
    expect(done.every(({ status }) => status === 'succeeded')).toBe(true);
    expect([webhooks.engine.breakers.openCircuitBreakerCount, webhooks.engine.breakers.changes]).toEqual([
      0,
      { opened: 1, closed: 1 },
    ]);
    expect(logged('webhook receiver responds again')).toBe(1);
  });

  it('does not delay deliveries to other receivers', async () => {
    const dead = await rig.receiver();
    await dead.stop();
    const healthy = await rig.receiver();
    await rig.addWebhook(dead.url, {}, { name: 'a' });
    await rig.addWebhook(healthy.url, {}, { name: 'b' });
    rig.process({ settings: breaking(), clock });
    await rig.commit(...objects(1, 20));
    await waitFor(() => healthy.requests.length === 20);
    await waitFor(() => logged('webhook receiver cannot be reached') === 1);
  });

  it('stays closed for error responses, which follow the retry policy', async () => {
    const target = await rig.receiver(() => ({ status: 500 }));
    await rig.addWebhook(target.url);
    const { webhooks } = rig.process({ settings: breaking({ retry: { ...breaking().retry, retries: 2 } }), clock });
    await rig.commit(...objects(1, 6));
    const rows = await rig.settled(6);
    expect(rows.every((row) => row.status === 'failed' && row.attempts === 3)).toBe(true);
    expect(webhooks.engine.breakers.changes).toEqual({ opened: 0, closed: 0 });
  });

  it('preserves the order of deliveries per object, and opens in other processes too', async () => {
    const target = await rig.receiver(() => 'reset');
    await rig.addWebhook(target.url);
    const first = rig.process({ settings: breaking(), clock });
    await rig.commit(siteChange({ id: 1, event: 'created' }), siteChange({ id: 2, event: 'created' }));
    await rig.commit(siteChange({ id: 1, event: 'updated' }));
    await waitFor(() => first.webhooks.engine.breakers.openCircuitBreakerCount === 1);
    // The jobs of the first process are lost with Redis, but the rows remain.
    await first.stop();
    await rig.loseRedis();
    target.response = () => ({ status: 200 });
    await pass(0);
    rig.process({ settings: breaking(), clock });
    await rig.settled(3);
    const ofOne = target.bodies.filter(({ data }) => (data as { id: number }).id === 1).map(({ event }) => event);
    expect(ofOne.at(-1)).toBe('updated');
    expect(ofOne.slice(0, -1).every((event) => event === 'created')).toBe(true);
  });

  it('lets deliveries of a deleted webhook end without delay while the breaker is open', async () => {
    const target = await rig.receiver(() => 'reset');
    const id = await rig.addWebhook(target.url);
    rig.process({ settings: breaking(), clock });
    await rig.commit(...objects(1, 5));
    await allWaiting(5);
    await rig.database.query('DELETE FROM extras_webhook WHERE id = $1', [id]);
    await pass(0);
    const rows = await rig.settled(5);
    expect(rows.every(({ status, error }) => status === 'failed' && error === 'The webhook was deleted.')).toBe(true);
    expect(target.requests).toHaveLength(2);
  });
});
