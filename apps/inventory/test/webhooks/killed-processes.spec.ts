import { createLogger } from '@switchboard/platform';
import { selectCases, waitFor } from '@switchboard/testing';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openInventoryServices } from '../../src/open-inventory.js';
import { openWebhookDelivery } from '../../src/webhooks/index.js';
import { startInventory, type TestInventory } from '../support/test-service.js';
import { InventoryProcess } from '../support/start-inventory-process.js';
import { Receiver } from './test-receiver.js';

// Kills whole processes at critical points. Every change that was committed over HTTP must reach a real receiver.

const quick = {
  WEBHOOK_TOTAL_TIMEOUT_MS: '1000',
  WEBHOOK_RECORD_TIMEOUT_MS: '1500',
  WEBHOOK_SWEEP_MS: '100',
  WEBHOOK_OVERDUE_MS: '300',
  WEBHOOK_RETRY_INITIAL_MS: '50',
  WEBHOOK_RETRY_MAX_MS: '200',
  WEBHOOK_RETRIES: '50',
  WEBHOOK_BREAKER_OPEN_MS: '50',
  WEBHOOK_BREAKER_MAX_OPEN_MS: '200',
};

interface Site {
  id: number;
}

let test: TestInventory;
const receiver = new Receiver();
const processes: InventoryProcess[] = [];
const survivors: (() => Promise<void>)[] = [];
/** An API process that several tests use. The tests can share the process, because it has no state. */
let api: InventoryProcess | undefined;

beforeAll(async () => {
  test = await startInventory();
  await receiver.start();
  const hook = await test.api.post<{ id: number }>('/api/extras/webhooks/', {
    json: { name: 'hook', payload_url: receiver.url },
  });
  await test.api.post('/api/extras/event-rules/', {
    json: {
      name: 'rule',
      object_types: ['dcim.site'],
      event_types: ['object_created', 'object_updated', 'object_deleted'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: hook.body.id,
    },
  });
  await test.inventory.database.query('TRUNCATE queue.outbox');
});
afterEach(async () => {
  await Promise.all(survivors.splice(0).map((end) => end()));
  await Promise.all(processes.splice(0).map((started) => started.kill()));
  receiver.requests.length = 0;
  receiver.response = () => ({ status: 200 });
  await test.inventory.database.query('TRUNCATE queue.outbox, webhook_deliveries, webhook_delivery_attempts');
});
afterAll(async () => {
  await api?.kill();
  await receiver.stop();
  await test.close();
});

async function start(env: Record<string, string> = {}): Promise<InventoryProcess> {
  const started = await InventoryProcess.start(test, { ...quick, ...env });
  processes.push(started);
  return started;
}

async function startApi(): Promise<InventoryProcess> {
  if (api?.running !== true) api = await InventoryProcess.start(test, { ...quick, ROLE: 'api' });
  return api;
}

/** Starts a worker within the test process. Unlike the other processes, this worker is never killed. */
async function startSurvivor(): Promise<void> {
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX } = test.inventory.config;
  const own = { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, NODE_ENV: 'test', WEBHOOK_ALLOW_LOOPBACK: 'true' };
  const inventory = await openInventoryServices(
    readConfig({ ...own, ...quick }),
    createLogger({ level: 'silent', name: 'it' }),
  );
  const webhooks = openWebhookDelivery(inventory);
  await inventory.outbox.start('worker');
  webhooks.start('worker');
  survivors.push(async () => {
    await inventory.outbox.stop();
    await webhooks.stop();
    await inventory.closeRedis();
    await inventory.closeDatabase();
  });
}

const slugs = new Set<string>();

/** Returns a request body for a site with a name that no site has yet. */
function newSite(): { name: string; slug: string } {
  const slug = `site-${slugs.size}`;
  slugs.add(slug);
  return { name: slug, slug };
}

/**
 * Returns the event and the object id of each delivery that the receiver got, in the order of first arrival. A repeated
 * delivery is listed only once.
 */
function arrived(): { event: string; id: number }[] {
  const seen = new Set<string>();
  return receiver.requests.flatMap(({ headers, body }) => {
    const deliveryId = String(headers['webhook-id']);
    if (seen.has(deliveryId)) return [];
    seen.add(deliveryId);
    const { event, data } = JSON.parse(body.toString('utf8')) as { event: string; data: Site };
    return [{ event, id: data.id }];
  });
}

async function settled(count: number): Promise<{ id: string; attempts: number }[]> {
  return waitFor(
    async () => {
      const { rows } = await test.inventory.database.query<{ id: string; status: string; attempts: number }>(
        'SELECT id, status, attempts FROM webhook_deliveries ORDER BY sequence',
      );
      return rows.length >= count && rows.every(({ status }) => status === 'succeeded') ? rows : null;
    },
    { timeoutMs: 45_000, what: `${count} deliveries that succeeded` },
  );
}

async function emptyRedis(): Promise<void> {
  const { REDIS_URL, REDIS_KEY_PREFIX } = test.inventory.config;
  const redis = new Redis(REDIS_URL);
  for await (const keys of redis.scanStream({ match: `*${REDIS_KEY_PREFIX}*`, count: 1000 })) {
    if (keys.length > 0) await redis.del(...(keys as string[]));
  }
  redis.disconnect();
}

const points = ['outbox.after-commit', 'outbox.after-dispatch', 'delivery.before-send', 'delivery.after-send'];

describe('committed change', () => {
  // Tests of packages/webhooks and packages/queue kill a process at each of these points.
  it.each(selectCases(points, (point) => point === 'outbox.after-commit' || point === 'delivery.after-send'))(
    'arrives even if the process is killed at %s',
    async (point) => {
      const dying = await start({ FAULT_POINT: `${point}:1` });
      const created = dying.call<Site>('POST', '/api/dcim/sites/', newSite()).catch(() => null);
      await dying.ended();
      await created;
      await startSurvivor();
      const [delivery] = await settled(1);
      expect(arrived()).toEqual([{ event: 'created', id: expect.any(Number) }]);
      expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual(
        Array(point === 'delivery.after-send' ? 2 : 1).fill(delivery?.id),
      );
    },
  );

  it('arrives even if the worker is killed during the request', async () => {
    let killed: Promise<void> | undefined;
    receiver.response = () => {
      killed ??= worker.kill();
      return 'hang';
    };
    const [own, worker] = await Promise.all([startApi(), start({ ROLE: 'worker' })]);
    expect((await own.call('POST', '/api/dcim/sites/', newSite())).status).toBe(201);
    await waitFor(() => killed !== undefined);
    await killed;
    receiver.response = () => ({ status: 200 });
    await startSurvivor();
    const [delivery] = await settled(1);
    expect(delivery?.attempts).toBe(2);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([delivery?.id, delivery?.id]);
  });

  it('reaches its receiver even if Redis is emptied before any worker runs', async () => {
    const own = await startApi();
    const sites = Array.from({ length: 20 }, newSite);
    const created = await own.call<Site[]>('POST', '/api/dcim/sites/', sites);
    await waitFor(async () => {
      const { rows } = await test.inventory.database.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM webhook_deliveries',
      );
      return rows[0]?.count === 20;
    });
    await own.kill();
    await emptyRedis();
    await startSurvivor();
    await settled(20);
    const ids = created.body.map(({ id }) => id);
    expect(
      arrived()
        .map(({ id }) => id)
        .toSorted((a, b) => a - b),
    ).toEqual(ids);
  });
});

describe('changes of one object', () => {
  it('reach the webhook receiver in order despite failures, an emptied Redis and killed workers', async () => {
    receiver.response = () => ({ status: 500 });
    const [own, first] = await Promise.all([startApi(), start({ ROLE: 'worker' })]);
    const { body: site } = await own.call<Site>('POST', '/api/dcim/sites/', newSite());
    const path = `/api/dcim/sites/${site.id}/`;
    await waitFor(() => receiver.requests.length > 0);
    expect((await own.call('PATCH', path, { facility: 'A' })).status).toBe(200);
    await first.kill();
    await emptyRedis();
    const second = await start({ ROLE: 'worker' });
    expect((await own.call('PATCH', path, { facility: 'B' })).status).toBe(200);
    expect((await own.call('DELETE', path)).status).toBe(204);
    const before = receiver.requests.length;
    await waitFor(() => receiver.requests.length > before + 1);
    expect(new Set(arrived().map(({ event }) => event))).toEqual(new Set(['created']));
    await second.kill();
    receiver.response = () => ({ status: 200 });
    await startSurvivor();
    await settled(4);
    expect(arrived()).toEqual(['created', 'updated', 'updated', 'deleted'].map((event) => ({ event, id: site.id })));
  });
});
