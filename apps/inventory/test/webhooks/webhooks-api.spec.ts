import { createHmac } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, createService, ProcessHealth, Metrics, parseEnvironmentValues } from '@switchboard/platform';
import { hashFoldersContent, openTestDatabase, openTestRedis, waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inventoryEnvironmentVariables } from '../../src/config.js';
import { openInventoryServices, type InventoryServices } from '../../src/open-inventory.js';
import { migrateInventoryDatabase, migrationsFolder } from '../../src/migrate.js';
import { createInventoryServiceOptions } from '../../src/service.js';
import { createSuperuser } from '../../src/users/create-superuser.js';
import { generateTokenToStore, addTokenOfUser } from '../../src/users/create-token.js';
import { openWebhookDelivery, type WebhookDeliveryService } from '../../src/webhooks/index.js';
import { Receiver } from './test-receiver.js';

interface Body {
  event: string;
  request_id: string;
  data: Record<string, unknown>;
  request: Record<string, unknown>;
  snapshots: { prechange: Record<string, unknown> | null; postchange: Record<string, unknown> | null };
}

const redis = openTestRedis();
const receiver = new Receiver();
const token = generateTokenToStore();
const figures = new Metrics();
let database: Awaited<ReturnType<typeof openTestDatabase>>;
let inventory: InventoryServices;
let webhooks: WebhookDeliveryService;
let app: NestFastifyApplication;

beforeAll(async () => {
  database = await openTestDatabase({
    name: 'webhooks_api',
    hash: await hashFoldersContent(migrationsFolder),
    prepare: (url) => migrateInventoryDatabase(url, () => {}),
  });
  const config = parseEnvironmentValues(inventoryEnvironmentVariables, {
    NODE_ENV: 'development',
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: redis.prefix,
  });
  const logger = createLogger({ level: 'silent', name: 'test' });
  inventory = await openInventoryServices(config, logger);
  webhooks = openWebhookDelivery(inventory);
  await inventory.database.inTransaction(async (tx) => {
    const userId = await createSuperuser(tx, 'admin', 'admin');
    await addTokenOfUser(tx, inventory.keys.pepper, { userId, value: token, description: 'test' });
  });
  webhooks.showIn(figures);
  app = await createService(
    createInventoryServiceOptions(inventory, { metrics: figures, health: new ProcessHealth() }),
  );
  await inventory.outbox.start('all');
  webhooks.start('all');
  await receiver.start();
});

afterEach(() => {
  receiver.response = () => ({ status: 200 });
  receiver.requests.length = 0;
});

afterAll(async () => {
  await app.close();
  await inventory.outbox.stop();
  await webhooks.stop();
  await inventory.closeRedis();
  await inventory.closeDatabase();
  await receiver.stop();
  await redis.cleanup();
  await database.release();
});

async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  const body = response.body === '' ? null : JSON.parse(response.body);
  return { status: response.statusCode, body, requestId: String(response.headers['x-request-id']) };
}

async function addRule(secret: string, conditions: object | null = null): Promise<void> {
  const hook = await call('POST', '/api/extras/webhooks/', {
    name: `hook ${secret}`,
    payload_url: `${receiver.url}/in`,
    secret,
  });
  expect(hook.status).toBe(201);
  const rule = await call('POST', '/api/extras/event-rules/', {
    name: `rule ${secret}`,
    object_types: ['dcim.site'],
    event_types: ['object_created', 'object_updated', 'object_deleted'],
    action_type: 'webhook',
    action_object_type: 'extras.webhook',
    action_object_id: hook.body.id,
    conditions,
  });
  expect(rule.status).toBe(201);
}

async function received(count: number): Promise<Body[]> {
  await waitFor(() => receiver.requests.length >= count, { what: `${count} requests` });
  return receiver.requests.map(({ body }) => JSON.parse(body.toString('utf8')));
}

async function deliveryIds(requestId: string): Promise<string[]> {
  const { rows } = await inventory.database.query<{ id: string }>(
    'SELECT id FROM webhook_deliveries WHERE request_id = $1 ORDER BY sequence',
    [requestId],
  );
  return rows.map(({ id }) => id);
}

describe('webhooks of changes of a site', () => {
  beforeAll(() => addRule('sesame', { attr: 'facility', value: 'quiet', negate: true }));

  it('arrive with signature and delivery id for every kind of change', async () => {
    const created = await call('POST', '/api/dcim/sites/', { name: 'Ams', slug: 'ams', facility: 'A1' });
    expect(created.status).toBe(201);
    const path = `/api/dcim/sites/${created.body.id}/`;
    const updated = await call('PATCH', path, { status: 'planned' });
    const deleted = await call('DELETE', path);
    expect([updated.status, deleted.status]).toEqual([200, 204]);

    const bodies = await received(3);
    expect(bodies.map((body) => Object.keys(body))).toEqual(
      Array(3).fill(['event', 'timestamp', 'object_type', 'username', 'request_id', 'data', 'request', 'snapshots']),
    );
    expect(bodies).toMatchObject([
      { event: 'created', object_type: 'dcim.site', username: 'admin', snapshots: { prechange: null } },
      { event: 'updated', data: { id: created.body.id, url: path, status: { value: 'planned', label: 'Planned' } } },
      { event: 'deleted', data: { id: created.body.id, name: 'Ams' }, snapshots: { postchange: null } },
    ]);
    const counts = (body?: Body) => Object.keys(body?.data ?? {}).filter((key) => key.endsWith('_count'));
    expect(bodies.map((body) => counts(body).length > 0)).toEqual([false, true, true]);
    expect(bodies[2]?.data).toMatchObject({ status: { value: 'planned' }, url: path });
    expect(bodies[2]?.snapshots.prechange).toMatchObject({ status: 'planned' });
    expect(bodies[1]?.request).toEqual({ id: updated.requestId, method: 'PATCH', path, user: 'admin' });
    expect(bodies[1]?.snapshots).toMatchObject({ prechange: { status: 'active' }, postchange: { status: 'planned' } });
    expect(bodies.map(({ request_id: id }) => id)).toEqual(
      [created, updated, deleted].map(({ requestId }) => requestId),
    );

    for (const [index, { requestId }] of [created, updated, deleted].entries()) {
      const { headers, body } = receiver.requests[index]!;
      expect([headers['webhook-id']]).toEqual(await deliveryIds(requestId));
      expect(headers['x-hook-signature']).toBe(createHmac('sha512', 'sesame').update(body).digest('hex'));
    }
  });

  it('arrive only if the request is committed', async () => {
    const refused = await call('POST', '/api/dcim/sites/', [
      { name: 'Good', slug: 'good' },
      { name: '', slug: 'bad' },
    ]);
    expect(refused.status).toBe(400);
    const marker = await call('POST', '/api/dcim/sites/', { name: 'Marker', slug: 'marker' });
    expect(await received(1)).toMatchObject([{ request_id: marker.requestId }]);
    expect(await deliveryIds(refused.requestId)).toEqual([]);
  });

  it('arrive only if the object meets the conditions of the event rule', async () => {
    const quiet = await call('POST', '/api/dcim/sites/', { name: 'Quiet', slug: 'quiet', facility: 'quiet' });
    await call('POST', '/api/dcim/sites/', { name: 'Loud', slug: 'loud' });
    expect(await received(1)).toMatchObject([{ data: { name: 'Loud' } }]);
    expect(await deliveryIds(quiet.requestId)).toEqual([]);
  });

  it('combine two updates of a site in one request into one webhook request', async () => {
    const { body: site } = await call('POST', '/api/dcim/sites/', { name: 'Twice', slug: 'twice', facility: 'zero' });
    const updated = await call('PATCH', '/api/dcim/sites/', [
      { id: site.id, facility: 'one' },
      { id: site.id, facility: 'two' },
    ]);
    expect(updated.status).toBe(200);
    const [, update] = await received(2);
    expect(update).toMatchObject({
      event: 'updated',
      data: { facility: 'two' },
      snapshots: { prechange: { facility: 'zero' }, postchange: { facility: 'two' } },
    });
    expect(await deliveryIds(updated.requestId)).toHaveLength(1);
  });

  it('arrive once per object of a bulk request, in order, and with the same request id', async () => {
    const sites = Array.from({ length: 5 }, (_, index) => ({ name: `Bulk ${index}`, slug: `bulk-${index}` }));
    const created = await call('POST', '/api/dcim/sites/', sites);
    expect(created.status).toBe(201);
    const bodies = await received(5);
    expect(bodies.map(({ request_id: id }) => id)).toEqual(Array(5).fill(created.requestId));
    expect(bodies.map(({ data }) => data['name']).toSorted()).toEqual(sites.map(({ name }) => name));
    expect(await deliveryIds(created.requestId)).toHaveLength(5);
  });
});

describe('POST /api/extras/webhooks/', () => {
  const path = '/api/extras/webhooks/';

  it.each([
    ['payload_url', 'http://localhost/{{ data.id'],
    ['payload_url', 'http://localhost/{% nonsense %}'],
    ['additional_headers', 'X-A: {{ data. }}'],
    ['body_template', '{% for x in data %}'],
    ['body_template', '{% import "os" as os %}'],
  ])('rejects an invalid template in %s: %s', async (field, template) => {
    const hook = { name: 'none', payload_url: 'http://localhost/', [field]: template };
    const refused = await call('POST', path, hook);
    expect(refused).toMatchObject({
      status: 400,
      body: { [field]: [expect.stringMatching(/^Invalid template: .+/)] },
    });
  });

  it('creates a webhook that signs with the previous and the new secret after rotation', async () => {
    const { body: hook } = await call('POST', path, {
      name: 'rotated',
      payload_url: `${receiver.url}/{{ event }}/{{ data.slug }}`,
      body_template: '{{ data.name }}',
      secret: 'old',
    });
    await call('POST', '/api/extras/event-rules/', {
      name: 'rotated',
      object_types: ['tenancy.tenant'],
      event_types: ['object_created'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: hook.id,
    });
    const patched = await call('PATCH', `${path}${hook.id}/`, { secret: 'new' });
    expect(patched).toMatchObject({ status: 200, body: { secret: '********' } });
    await call('PATCH', `${path}${hook.id}/`, { secret: '********', description: 'kept' });
    await call('POST', '/api/tenancy/tenants/', { name: 'Acme', slug: 'acme' });
    await waitFor(() => receiver.requests.length === 1, { what: 'the request' });
    const { path: sentTo, headers, body } = receiver.requests[0]!;
    expect([sentTo, body.toString('utf8')]).toEqual(['/created/acme', 'Acme']);
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.Acme`;
    const by = (secret: string): string => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;
    expect(headers['webhook-signature']).toBe(`${by('new')} ${by('old')}`);
    expect(headers['x-hook-signature']).toBe(createHmac('sha512', 'new').update('Acme').digest('hex'));
    const { rows } = await inventory.database.query<{ former_secret: string }>(
      "SELECT former_secrets -> 0 ->> 'secret' AS former_secret FROM extras_webhook WHERE id = $1",
      [hook.id],
    );
    expect(rows[0]?.former_secret).toMatch(/^v1\./);
  });
});

describe('POST /api/extras/event-rules/', () => {
  it.each([30, 20_000])('rejects conditions nested %i levels deep', async (levels) => {
    const deep = `${'{"and":['.repeat(levels)}"x"${']}'.repeat(levels)}`;
    const response = await app.inject({
      method: 'POST',
      url: '/api/extras/event-rules/',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      payload: `{"name":"deep","object_types":["dcim.site"],"event_types":["object_created"],"conditions":${deep}}`,
    });
    expect(response.statusCode).toBe(400);
  });

  it.each([
    [[], "Ruleset must be a dictionary, not <class 'list'>."],
    [{ attr: 'a', value: 1, op: 'in' }, "Invalid type for in operation: <class 'int'>"],
    [{ xor: [] }, "Invalid logic type: must be 'AND' or 'OR'. Please check documentation."],
  ])('rejects conditions %j', async (conditions, message) => {
    const refused = await call('POST', '/api/extras/event-rules/', {
      name: 'refused',
      object_types: ['dcim.site'],
      event_types: ['object_created'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: 1,
      conditions,
    });
    expect(refused).toMatchObject({ status: 400, body: { conditions: [message] } });
  });
});

describe('GET /metrics', () => {
  it('shows outcomes, latency and queue length of webhook deliveries', async () => {
    const metrics = async (): Promise<(name: string) => number> => {
      const { text } = await figures.render();
      const lines = text.split('\n');
      return (name) => Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1));
    };
    const ended = (outcome: string): string => `inventory_webhook_deliveries_total{outcome="${outcome}"}`;
    const before = await metrics();
    await addRule('counted');
    receiver.response = (_request, count) => ({ status: count === 1 ? 500 : 200, headers: { 'retry-after': '0' } });
    await call('POST', '/api/dcim/sites/', { name: 'Counted', slug: 'counted', facility: 'quiet' });
    await received(1);
    const waiting = await waitFor(
      async () => {
        const now = await metrics();
        return now(ended('retried')) > before(ended('retried')) ? now : null;
      },
      { what: 'a retry that is counted' },
    );
    expect(waiting('inventory_webhook_deliveries_queued')).toBe(1);
    expect(waiting('inventory_webhook_oldest_queued_age_seconds')).toBeGreaterThan(0);
    expect(before('inventory_webhook_deliveries_queued')).toBe(0);
    expect(before('inventory_webhook_latency_seconds_count')).toBe(before(ended('delivered')));
    expect(before('inventory_webhook_latency_seconds_sum')).toBeGreaterThan(0);
    await inventory.database.query(
      "UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 h' WHERE status = 'queued'",
    );
    await webhooks.webhooks.engine.sweep.addMissingDeliveryJobs();
    await waitFor(async () => (await metrics())(ended('delivered')) === before(ended('delivered')) + 1, {
      what: 'a delivery that is counted',
    });
  });

  it('counts jobs by state', async () => {
    const { text } = await figures.render();
    expect(text).toContain('inventory_jobs{job="webhooks.deliver",state="failed"} 0');
    expect(text).toMatch(/inventory_job_attempts_total\{job="webhooks\.deliver",outcome="completed"\} [1-9]/);
  });
});
