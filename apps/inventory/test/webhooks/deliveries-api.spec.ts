import { systemClock } from '@switchboard/platform';
import { waitFor, type InProcessApiClient } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDeliveryRetention, openWebhookDelivery, type WebhookDeliveryService } from '../../src/webhooks/index.js';
import { addDeliveries, addHook } from '../support/delivery-fixture.js';
import { startInventory, type TestInventory } from '../support/test-service.js';
import { Receiver } from './test-receiver.js';

type Json = Record<string, unknown>;
interface Delivery extends Json {
  readonly id: number;
  readonly status: { readonly value: string };
}
interface Page<T> {
  readonly count: number;
  readonly next: string | null;
  readonly results: T[];
}

const list = '/api/extras/webhook-deliveries/';
const receiver = new Receiver();
let test: TestInventory;
let webhooks: WebhookDeliveryService;

beforeAll(async () => {
  await receiver.start();
  test = await startInventory({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRIES: '1', WEBHOOK_RETRY_INITIAL_MS: '1' });
  webhooks = openWebhookDelivery(test.inventory);
  await test.inventory.outbox.start('all');
  webhooks.start('all');
});
afterEach(async () => {
  receiver.response = () => ({ status: 200 });
  receiver.requests.length = 0;
  await test.inventory.database.query('TRUNCATE webhook_deliveries, webhook_delivery_attempts, extras_eventrule');
});
afterAll(async () => {
  await test.inventory.outbox.stop();
  await webhooks.stop();
  await test.close();
  await receiver.stop();
});

let made = 0;
const unique = (word: string): string => `${word}-${(made += 1)}`;

async function makeSite(): Promise<string> {
  const name = unique('site');
  const { headers } = await test.api.post('/api/dcim/sites/', { json: { name, slug: name } });
  return String(headers['x-request-id']);
}

/** Waits until the delivery that a request caused is finished. Returns the delivery. */
function finished(requestId: string): Promise<Delivery> {
  return waitFor(
    async () => {
      const { body } = await test.api.get<Page<Delivery>>(`${list}?request_id=${requestId}&status__n=queued`);
      return body.results[0] ?? null;
    },
    { what: 'a finished delivery' },
  );
}

const attemptsOf = async (id: number, query = '', client: InProcessApiClient = test.api): Promise<Page<Json>> =>
  (await client.get<Page<Json>>(`${list}${id}/attempts/${query}`)).body;

const statuses = async (ids: readonly number[]): Promise<string[]> => {
  const { body } = await test.api.get<Page<Delivery>>(`${list}?ordering=id&${ids.map((id) => `id=${id}`).join('&')}`);
  return body.results.map(({ status }) => status.value);
};

/** Returns an HTTP client of a new user. If actions are given, the user has an object permission for them. */
async function userWho(
  actions: readonly string[],
  {
    constraints = null,
    objectTypes = ['extras.webhookdelivery'],
  }: { constraints?: Json | null; objectTypes?: string[] } = {},
): Promise<InProcessApiClient> {
  const { rows } = await test.inventory.database.query<{ id: number }>(
    "INSERT INTO users_user (username, password) VALUES ($1, '') RETURNING id",
    [unique('user')],
  );
  const id = Number(rows[0]?.id);
  const json = { name: unique('may'), object_types: objectTypes, actions, users: [id], constraints };
  expect((await test.api.post('/api/users/permissions/', { json })).status).toBe(201);
  return test.clientOf(id);
}

describe('GET /api/extras/webhook-deliveries/{id}/attempts/', () => {
  it('omits signatures, additional headers and cookies', async () => {
    const { webhook } = await addHook(test, unique('hook'), `${receiver.url}/in?x=1`);
    const json = { secret: 'sesame', additional_headers: 'X-Api-Key: open\nContent-Type: application/vnd.own+json' };
    await test.api.patch(`/api/extras/webhooks/${webhook}/`, { json });
    receiver.response = (_request, count) =>
      count === 1
        ? { status: 503, headers: { 'set-cookie': 'session=very-secret', 'x-by': 'here' }, body: 'y'.repeat(20_000) }
        : { status: 202, body: 'thanks' };
    const delivery = await finished(await makeSite());
    expect(delivery).toMatchObject({ status: { value: 'succeeded', label: 'Succeeded' }, attempts: 2, error: null });
    expect(delivery).toMatchObject({ webhook: { id: webhook }, response_status: 202, next_attempt_at: null });
    const { count, results } = await attemptsOf(delivery.id);
    const [first, second] = results;
    expect([count, first?.['number'], second?.['number']]).toEqual([2, 1, 2]);
    expect(first).toMatchObject({
      request_method: 'POST',
      request_url: `${receiver.url}/in?x=1`,
      request_headers: {
        'content-type': 'application/vnd.own+json',
        'x-api-key': '********',
        'x-hook-signature': '********',
        'webhook-signature': '********',
        'webhook-id': delivery['delivery_id'],
      },
      request_body: receiver.requests[0]?.body.toString('utf8'),
      response_status: 503,
      response_headers: { 'x-by': 'here', 'set-cookie': '********' },
      response_truncated: true,
    });
    expect(String(first?.['response_body'])).toBe('y'.repeat(16_384));
    expect(String(first?.['error'])).toContain('Status 503 returned');
    expect(second).toMatchObject({ response_status: 202, response_body: 'thanks', error: null });
    expect(JSON.stringify(results)).not.toMatch(/open|very-secret|sesame/);
  });

  it('pages through attempts', async () => {
    await addHook(test, unique('hook'), `${receiver.url}/in`);
    receiver.response = (_request, count) => ({ status: count === 1 ? 500 : 200 });
    const { id } = await finished(await makeSite());
    const page = await attemptsOf(id, '?limit=1&offset=1');
    expect([page.count, page.results.map(({ number }) => number)]).toEqual([2, [2]]);
    expect((await attemptsOf(id, '?limit=1')).next).toContain('offset=1');
    expect((await attemptsOf(id, '?start=2&limit=5')).results.map(({ number }) => number)).toEqual([2]);
    expect((await test.api.get(`${list}999999999/attempts/`)).status).toBe(404);
  });

  it('includes attempts that failed before a request was sent', async () => {
    await addHook(test, unique('hook'), 'http://169.254.169.254/latest');
    const delivery = await finished(await makeSite());
    expect(delivery).toMatchObject({ status: { value: 'failed' }, attempts: 1, response_status: null });
    const { results } = await attemptsOf(delivery.id);
    expect(results).toMatchObject([{ number: 1, response_status: null, response_headers: null }]);
    expect(results[0]?.['error']).toBe(delivery['error']);
  });
});

describe('POST /api/extras/webhook-deliveries/{id}/requeue/', () => {
  it('allows all attempts of the retry policy again, and continues the numbering of attempts', async () => {
    await addHook(test, unique('hook'), `${receiver.url}/in`);
    receiver.response = () => ({ status: 500 });
    const failed = await finished(await makeSite());
    expect(failed).toMatchObject({ status: { value: 'failed' }, attempts: 2 });
    receiver.response = (_request, count) => ({ status: count === 3 ? 500 : 200 });
    const { status, body } = await test.api.post<Delivery>(`${list}${failed.id}/requeue/`);
    expect([status, body.status.value, body['finished']]).toEqual([200, 'queued', null]);
    const again = await finished(String(failed['request_id']));
    expect(again).toMatchObject({ id: failed.id, status: { value: 'succeeded' }, attempts: 4 });
    expect((await attemptsOf(failed.id)).results.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    const refused = await test.api.post(`${list}${failed.id}/requeue/`);
    expect([refused.status, refused.body]).toEqual([
      409,
      { detail: 'Only deliveries that have failed or wait can be requeued, and this one is succeeded.' },
    ]);
  });

  it('requeues only the failed deliveries that match the filters', async () => {
    const [one, two] = [await addHook(test, unique('hook')), await addHook(test, unique('hook'))];
    const ids = [
      ...(await addDeliveries(test, one, [
        { status: 'failed', objectId: 1, finished: '2026-02-01' },
        { status: 'succeeded', objectId: 2, finished: '2026-02-01' },
      ])),
      ...(await addDeliveries(test, two, [{ status: 'failed', objectId: 3, finished: '2026-03-01' }])),
    ];
    const requeue = (query: string) => test.api.post<Json>(`${list}requeue/${query}`, { unchecked: true });
    const nothing = { all: ['Give a filter, or all=true to requeue every failed delivery.'] };
    for (const query of ['', '?all=false', '?webhook_id=']) {
      expect(await requeue(query)).toMatchObject({ status: 400, body: nothing });
    }
    expect(await requeue('?webhok_id=1')).toMatchObject({ status: 400, body: { webhok_id: [expect.any(String)] } });
    expect(await requeue(`?webhook_id=${one.webhook}&limit=1`)).toMatchObject({ status: 400 });
    expect(await requeue(`?status=failed&webhook_id=999999`)).toMatchObject({ status: 400 });
    expect(await requeue('?error__regex=[')).toMatchObject({ status: 400, body: { error__regex: expect.any(Array) } });
    expect(await statuses(ids)).toEqual(['failed', 'succeeded', 'failed']);

    expect((await requeue(`?webhook_id=${one.webhook}&finished__lt=2026-02-15`)).body).toEqual({ requeued: 1 });
    await waitFor(async () => (await statuses(ids))[0] === 'failed', { what: 'the end of its new attempts' });
    expect((await requeue('?all=true')).body).toEqual({ requeued: 2 });
  });
});

describe('stored webhook deliveries', () => {
  it('require the view permission for reading, and also the requeue permission for requeueing', async () => {
    const hook = await addHook(test, unique('hook'));
    const [mine = 0, other = 0] = await addDeliveries(test, hook, [
      { status: 'failed', objectId: 1, finished: '2026-02-01' },
      { status: 'failed', objectId: 2, finished: '2026-02-01' },
    ]);
    const everyday = await userWho(['view', 'add', 'change', 'delete'], {
      objectTypes: ['extras.webhook', 'dcim.site'],
    });
    const reader = await userWho(['view']);
    const operator = await userWho(['view', 'requeue'], { constraints: { object_id: 1 } });
    const tries = async (client: InProcessApiClient): Promise<number[]> => [
      (await client.get(list)).status,
      (await client.get(`${list}${other}/`)).status,
      (await client.get(`${list}${other}/attempts/`)).status,
      (await client.post(`${list}${other}/requeue/`)).status,
      (await client.post(`${list}requeue/?id=${other}`)).status,
    ];
    expect(await tries(everyday)).toEqual([403, 403, 403, 403, 403]);
    expect(await tries(reader)).toEqual([200, 200, 200, 403, 403]);
    expect(await tries(operator)).toEqual([200, 404, 404, 404, 200]);
    expect(await statuses([mine, other])).toEqual(['failed', 'failed']);
    expect((await operator.post<Json>(`${list}requeue/?all=true`)).body).toEqual({ requeued: 1 });
    expect((await statuses([mine, other]))[1]).toBe('failed');
  });

  it('remain after their webhook is deleted', async () => {
    const hook = await addHook(test, unique('hook'));
    const [id] = await addDeliveries(test, hook, [{ status: 'failed', objectId: 1, finished: '2026-02-01' }]);
    expect((await test.api.delete(`/api/extras/webhooks/${hook.webhook}/`)).status).toBe(204);
    const { body } = await test.api.get(`${list}${id}/`);
    expect(body).toMatchObject({ webhook: null, action_object: null, action_object_id: hook.webhook });
  });

  it('lose their references to a deleted webhook through foreign keys, however many deliveries exist', () => {
    const targets = ['extras.eventrule', 'extras.webhook', 'extras.notificationgroup', 'extras.script'];
    const planned = targets.flatMap((type) =>
      test.inventory.registry.listReferencesToModel(type).map(({ model }) => model.type),
    );
    expect(planned).not.toContain('extras.webhookdelivery');
  });

  it('disappear with their attempts after the configured number of days', async () => {
    const hook = await addHook(test, unique('hook'));
    const ids = await addDeliveries(test, hook, [
      { status: 'queued', objectId: 1 },
      { status: 'failed', objectId: 2, finished: '2026-02-01' },
      { status: 'succeeded', objectId: 3, finished: '2026-05-01' },
    ]);
    const { database, logger } = test.inventory;
    await database.query(
      `INSERT INTO webhook_delivery_attempts (delivery_sequence, number, started, duration_ms)
        SELECT sequence, 1, '2026-02-01'::timestamptz, 5 FROM webhook_deliveries
        UNION ALL SELECT sequence, 2, '2026-05-01', 5 FROM webhook_deliveries WHERE status <> 'failed'`,
    );
    const left = async (): Promise<unknown[]> =>
      (
        await database.query<{ sequence: number; number: number }>(
          'SELECT delivery_sequence AS sequence, number FROM webhook_delivery_attempts ORDER BY 1, 2',
        )
      ).rows.map(({ sequence, number }) => [ids.indexOf(Number(sequence)), number]);
    const clock = { ...systemClock, now: () => Date.parse('2026-05-15') };
    await createDeliveryRetention({ database, clock, logger, days: 0 }).run();
    expect(await left()).toHaveLength(5);
    await createDeliveryRetention({ database, clock, logger, days: 90 }).run();
    expect(await left()).toEqual([
      [0, 2],
      [2, 2],
    ]);
    expect((await test.api.get<Page<Delivery>>(`${list}?ordering=id`)).body.results.map(({ id }) => id)).toEqual([
      ids[0],
      ids[2],
    ]);
  });
});
