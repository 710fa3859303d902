import { publicAddressesOnly } from '@switchboard/outbound';
import { processClock } from '@switchboard/queue';
import { waitFor } from '@switchboard/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyWebhookMigrations, removeEndpointsOfOwner, WebhookEmitter } from '../src/index.js';
import { verifyWebhook, WebhookSignatureError } from '../src/receiver.js';
import { Receiver, startService, testSettings, type WebhookService } from './webhook-test-support.js';

let receiver: Receiver;
let service: WebhookService;

async function start(...options: Parameters<typeof startService>): Promise<WebhookService> {
  service = await startService(...options);
  return service;
}

beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(async () => {
  await service.stop();
  await receiver.stop();
});

/** Creates a webhook endpoint whose URL is a path on the test receiver. */
const createEndpoint = (path = '/', { owner = '', eventTypes = ['*'], metadata = {} } = {}) =>
  service.webhooks.endpoints.create(service.pool, owner, { url: receiver.url(path), eventTypes, metadata });

const finished = async (count: number): Promise<void> => {
  await waitFor(
    async () => {
      const { rows } = await service.pool.query<{ count: number }>(
        "SELECT count(*)::int AS count FROM webhooks.deliveries WHERE status <> 'queued'",
      );
      return rows[0]?.count === count;
    },
    { what: `${count} finished deliveries` },
  );
};

describe('Webhooks.emit', () => {
  it('delivers only committed events, with a signature and an id', async () => {
    await start();
    const { id, secret } = await createEndpoint();
    const rollback = service.inTransaction((tx) => {
      service.webhooks.emit(tx, { type: 'order.placed', payload: { id: 1 } });
      throw new Error('rolled back');
    });
    await expect(rollback).rejects.toThrow('rolled back');
    await service.emit({ type: 'order.placed', key: 'order 2', payload: { id: 2 } });
    await finished(1);
    const [hook] = receiver.received;
    expect(receiver.dataOf()).toEqual([{ id: 2 }]);
    const { deliveries } = await service.webhooks.deliveries.list(service.pool, '');
    expect(deliveries).toMatchObject([
      { endpointId: id, type: 'order.placed', key: 'order 2', status: 'succeeded', attempts: 1, responseStatus: 204 },
    ]);
    expect(verifyWebhook(hook!.body, hook!.headers, secret).id).toBe(deliveries[0]?.id);
    expect(hook!.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Switchboard-Webhooks' });
    expect(JSON.parse(hook!.body)).toEqual({ type: 'order.placed', timestamp: expect.any(String), data: { id: 2 } });
  });

  it('selects endpoints by owner, event type, state and the decision of the service', async () => {
    await start({
      accepts: ({ metadata, body }) => metadata['only'] === undefined || body.includes(String(metadata['only'])),
    });
    await createEndpoint('/all', { owner: 'a' });
    await createEndpoint('/typed', { owner: 'a', eventTypes: ['order.placed', 'order.paid'] });
    await createEndpoint('/filtered', { owner: 'a', metadata: { only: 'tea' } });
    await createEndpoint('/other', { owner: 'b' });
    const disabled = await createEndpoint('/disabled', { owner: 'a' });
    await service.webhooks.endpoints.update(service.pool, 'a', disabled.id, { enabled: false });
    await service.emit(
      { owner: 'a', type: 'order.placed', key: '1', payload: 'tea' },
      { owner: 'a', type: 'order.deleted', key: '1', payload: 'cups' },
    );
    await finished(4);
    expect(receiver.dataOf('/all')).toEqual(['tea', 'cups']);
    expect(receiver.dataOf('/typed')).toEqual(['tea']);
    expect(receiver.dataOf('/filtered')).toEqual(['tea']);
    expect(receiver.received).toHaveLength(4);
  });

  it('sends an event to one endpoint of the owner regardless of event types, and never to another owner', async () => {
    await start();
    const { id } = await createEndpoint('/one', { owner: 'a', eventTypes: ['order.paid'] });
    await createEndpoint('/all', { owner: 'a' });
    await service.emit(
      { owner: 'b', type: 'test', payload: 'of another owner', endpointId: id },
      { owner: 'a', type: 'test', payload: 'for one', endpointId: id.toUpperCase() },
      { owner: 'a', type: 'order.placed', payload: 'for all' },
    );
    await finished(2);
    expect(receiver.dataOf('/one')).toEqual(['for one']);
    expect(receiver.dataOf('/all')).toEqual(['for all']);
  });

  it('sends the bodies that the service returns for each endpoint, in order', async () => {
    await start({
      bodiesFor: async (events, tx) => {
        const { rows } = await tx.query<{ answer: number }>('SELECT 1 AS answer');
        return events.map(({ metadata, body }) => {
          const { data } = JSON.parse(body) as { data: string };
          const copies = Number(metadata['copies']) * (rows[0]?.answer ?? 0);
          return Array.from({ length: copies }, (_, index) => JSON.stringify({ data: `${data} ${index}` }));
        });
      },
    });
    for (const copies of [0, 1, 2]) await createEndpoint(`/${copies}`, { metadata: { copies } });
    await service.emit(
      { type: 'order.placed', key: '1', payload: 'tea' },
      { type: 'order.placed', key: '1', payload: 'cups' },
    );
    await finished(6);
    expect(receiver.dataOf('/0')).toEqual([]);
    expect(receiver.dataOf('/1')).toEqual(['tea 0', 'cups 0']);
    expect(receiver.dataOf('/2')).toEqual(['tea 0', 'tea 1', 'cups 0', 'cups 1']);
  });

  it('delivers events of a key in order when attempts fail, and events of other keys meanwhile', async () => {
    await start();
    await createEndpoint();
    const failures = new Map<unknown, number>([['a1', 2]]);
    receiver.respond = ({ data }) => {
      const left = failures.get(data) ?? 0;
      failures.set(data, left - 1);
      return left > 0 ? 500 : 204;
    };
    const events = ['a1', 'b1', 'a2', 'b2', 'a3', 'b3'];
    await service.emit(...events.map((name) => ({ type: 'order.placed', key: name.charAt(0), payload: name })));
    await finished(6);
    const ofKey = (key: string): unknown[] => receiver.dataOf().filter((name) => String(name).startsWith(key));
    expect(ofKey('a')).toEqual(['a1', 'a1', 'a1', 'a2', 'a3']);
    expect(ofKey('b')).toEqual(['b1', 'b2', 'b3']);
    const ids = receiver.received.filter(({ data }) => data === 'a1').map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('adds no jobs for deliveries that wait for an earlier delivery of the same key', async () => {
    await start();
    await createEndpoint();
    const add = vi.spyOn(service.webhooks.engine.queue, 'addFirstAttempts');
    receiver.respond = ({ data }) => (data === 0 && receiver.received.length === 1 ? 500 : 204);
    await service.inTransaction((tx) => {
      for (let index = 0; index < 20; index += 1) {
        service.webhooks.emit(tx, { type: 'order.placed', key: 'one', payload: index });
      }
    });
    await finished(20);
    expect(receiver.dataOf()).toEqual([0, ...Array.from({ length: 20 }, (_, index) => index)]);
    expect(add.mock.calls.flatMap(([jobs]) => jobs)).toHaveLength(1);
  });

  it('stores bodies in batches of limited size in one transaction, in the order of the events', async () => {
    await start({ maxBatchBytes: 10_000 });
    const paths = ['/a', '/b', '/c'];
    for (const path of paths) await createEndpoint(path);
    await service.pool.query('CREATE TABLE batches (events int, bytes int)');
    await service.pool.query(`CREATE FUNCTION record_batch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO batches SELECT count(DISTINCT payload), sum(octet_length(payload)) FROM added;
      RETURN NULL; END $$`);
    await service.pool.query(`CREATE TRIGGER record_batch AFTER INSERT ON webhooks.deliveries
      REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION record_batch()`);
    // The eighth event exceeds the size alone.
    const payloads = Array.from({ length: 20 }, (_, n) => `${n} `.padEnd(n === 7 ? 5_000 : 1_000, 'x'));
    await service.inTransaction((tx) => {
      for (const payload of payloads) service.webhooks.emit(tx, { type: 'order.placed', key: 'one', payload });
    });
    await finished(60);
    for (const path of paths) expect(receiver.dataOf(path)).toEqual(payloads);
    const { rows } = await service.pool.query<{ events: number; bytes: number }>('SELECT * FROM batches');
    expect(rows.reduce((sum, { events }) => sum + events, 0)).toBe(20);
    expect(rows.filter(({ events, bytes }) => events > 1 && bytes > 10_000)).toEqual([]);
    expect(rows.some(({ events }) => events > 1)).toBe(true);
  });

  it('stores events of one key in the order in which concurrent transactions commit', async () => {
    await start();
    await createEndpoint();
    await service.pool.query('CREATE TABLE counter (value int); INSERT INTO counter VALUES (0)');
    const increment = (): Promise<void> =>
      service.inTransaction(async (tx) => {
        const { rows } = await tx.query<{ value: number }>('UPDATE counter SET value = value + 1 RETURNING value');
        service.webhooks.emit(tx, { type: 'counter.changed', key: 'counter', payload: rows[0]?.value });
      });
    await Promise.all(Array.from({ length: 20 }, increment));
    await finished(20);
    expect(receiver.dataOf()).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('refuses event types, keys and bodies that are not allowed', async () => {
    await start({ eventTypes: ['order.placed'], maxBodyBytes: 100 });
    const emit = (event: Parameters<WebhookService['emit']>[0]): Promise<void> => service.emit(event);
    await expect(emit({ type: 'order.paid', payload: 1 })).rejects.toMatchObject({
      code: 'WEBHOOK_EVENT_TYPE_UNKNOWN',
    });
    await expect(emit({ type: 'two words', payload: 1 })).rejects.toMatchObject({ code: 'WEBHOOK_INPUT_INVALID' });
    const bad = { type: 'order.placed', payload: 1 };
    await expect(emit({ ...bad, key: 'a\0' })).rejects.toMatchObject({ code: 'WEBHOOK_INPUT_INVALID' });
    await expect(emit({ ...bad, key: '' })).rejects.toMatchObject({ code: 'WEBHOOK_INPUT_INVALID' });
    await expect(emit({ ...bad, payload: 'x'.repeat(100) })).rejects.toThrow(RangeError);
    await expect(emit({ ...bad, payload: 1n })).rejects.toThrow(TypeError);
    const { rows } = await service.pool.query('SELECT FROM queue.outbox');
    expect(rows).toHaveLength(0);
  });
});

describe('attempts of deliveries', () => {
  it('records each attempt with masked signatures, and fails after the last retry', async () => {
    await start();
    await createEndpoint();
    receiver.respond = () => 500;
    await service.emit({ type: 'order.placed', payload: 1 });
    await finished(1);
    const [delivery] = (await service.webhooks.deliveries.list(service.pool, '')).deliveries;
    const detail = await service.webhooks.deliveries.get(service.pool, '', delivery!.id);
    expect(detail).toMatchObject({ status: 'failed', attempts: 4, responseStatus: 500 });
    expect(detail.attemptLog.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(detail.attemptLog[0]).toMatchObject({ responseStatus: 500, responseBody: 'received' });
    expect(detail.attemptLog[0]?.requestHeaders).toMatchObject({
      'webhook-id': delivery!.id,
      'webhook-signature': '********',
    });
    expect(service.webhooks.metrics().attempts).toEqual({ delivered: 0, failed: 1, retried: 3 });
  });

  it('fail without a request when the service refuses the delivery, and are retried when the check throws', async () => {
    const checked: unknown[] = [];
    await start({
      checkDelivery: async ({ body, id: _id, endpointId: _endpointId, ...delivery }) => {
        checked.push(delivery);
        if (checked.length === 1) throw new Error('unavailable');
        return body.includes('secret') ? 'The user may not see it.' : null;
      },
    });
    await createEndpoint('/', { owner: 'a', metadata: { user: 1 } });
    await service.emit({ owner: 'a', type: 'order.placed', key: 'k', payload: 'open' });
    await finished(1);
    await service.emit({ owner: 'a', type: 'order.placed', key: 'k', payload: 'secret' });
    await finished(2);
    expect(receiver.dataOf()).toEqual(['open']);
    const { deliveries } = await service.webhooks.deliveries.list(service.pool, 'a');
    expect(deliveries).toMatchObject([
      { status: 'failed', attempts: 1, error: 'The user may not see it.' },
      { status: 'succeeded', attempts: 2 },
    ]);
    expect(checked).toHaveLength(3);
    expect(checked[0]).toEqual({ owner: 'a', type: 'order.placed', key: 'k', metadata: { user: 1 } });
  });

  it('treats a redirect of the receiver as a failure, and does not follow the redirect', async () => {
    await start({ settings: { ...testSettings, retry: { ...testSettings.retry, retries: 0 } } });
    await createEndpoint();
    receiver.respond = () => 307;
    await service.emit({ type: 'order.placed', payload: 1 });
    await finished(1);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/']);
    const { deliveries } = await service.webhooks.deliveries.list(service.pool, '');
    expect(deliveries).toMatchObject([{ status: 'failed', error: 'The receiver responded with status 307.' }]);
  });

  it('ends without a retry when the receiver responds with status 410', async () => {
    await start();
    await createEndpoint();
    receiver.respond = () => 410;
    await service.emit({ type: 'order.placed', payload: 1 });
    await finished(1);
    expect(receiver.received).toHaveLength(1);
  });

  it('fails without a request when the endpoint was deleted or disabled, or its address is refused', async () => {
    await start({
      settings: { ...testSettings, outbound: { ...testSettings.outbound, policy: publicAddressesOnly } },
    });
    const { endpoints } = service.webhooks;
    const url = receiver.url().replace('127.0.0.1', 'localhost');
    const ids = [];
    for (const _ of ['refused', 'deleted', 'disabled']) {
      ids.push((await endpoints.create(service.pool, '', { url, eventTypes: ['*'] })).id);
    }
    // The endpoints change after the deliveries were stored and before their attempts.
    await service.pool.query(`CREATE FUNCTION change_endpoints() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      DELETE FROM webhooks.endpoints WHERE id = '${ids[1]}';
      UPDATE webhooks.endpoints SET enabled = false WHERE id = '${ids[2]}';
      RETURN NULL; END $$`);
    await service.pool.query(`CREATE TRIGGER change_endpoints AFTER INSERT ON webhooks.deliveries
      FOR EACH STATEMENT EXECUTE FUNCTION change_endpoints()`);
    await service.emit({ type: 'order.placed', payload: 1 });
    await finished(3);
    const { deliveries } = await service.webhooks.deliveries.list(service.pool, '');
    const errors = new Map(deliveries.map(({ endpointId, error }) => [endpointId, error]));
    expect(errors.get(ids[0]!)).toContain('is refused: loopback');
    expect(errors.get(ids[1]!)).toBe('The endpoint was deleted.');
    expect(errors.get(ids[2]!)).toBe('The endpoint is disabled.');
    expect(deliveries.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    expect(receiver.received).toEqual([]);
  });

  it('signs with the replaced secret until its end', async () => {
    let offsetMs = 0;
    await start({ clock: { ...processClock, now: () => Date.now() + offsetMs } });
    const { id, secret: first } = await createEndpoint();
    const { endpoints } = service.webhooks;
    const { secret: second } = await endpoints.rotateSecret(service.pool, '', id, { overlapSeconds: 3_600 });
    const signedBy = async (): Promise<string[]> => {
      receiver.received.length = 0;
      await service.emit({ type: 'order.placed', payload: 1 });
      await waitFor(() => receiver.received.length > 0, { what: 'the webhook' });
      const { body, headers } = receiver.received[0]!;
      const verify = (secret: string): unknown =>
        verifyWebhook(body, headers, secret, { now: () => Date.now() + offsetMs });
      return [first, second].filter((secret) => {
        try {
          return verify(secret) !== undefined;
        } catch (error) {
          expect(error).toBeInstanceOf(WebhookSignatureError);
          return false;
        }
      });
    };
    expect(await signedBy()).toEqual([first, second]);
    offsetMs = 3_601_000;
    expect(await signedBy()).toEqual([second]);
    expect(await endpoints.removeExpiredSecrets(service.pool)).toBe(1);
    expect((await endpoints.get(service.pool, '', id)).formerSecrets).toBe(0);
    expect(await signedBy()).toEqual([second]);
  });
});

describe('Deliveries', () => {
  it('requeues a failed delivery under its id with all attempts', async () => {
    await start();
    await createEndpoint();
    receiver.respond = () => 500;
    await service.emit({ type: 'order.placed', payload: 1 });
    await finished(1);
    const [failed] = (await service.webhooks.deliveries.list(service.pool, '')).deliveries;
    receiver.respond = () => 204;
    await service.inTransaction((tx) => service.webhooks.deliveries.requeue(tx, '', failed!.id));
    await finished(1);
    const detail = await service.webhooks.deliveries.get(service.pool, '', failed!.id);
    expect(detail).toMatchObject({ status: 'succeeded', attempts: 5 });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([failed!.id]));
    const again = service.inTransaction((tx) => service.webhooks.deliveries.requeue(tx, '', failed!.id));
    await expect(again).rejects.toMatchObject({ code: 'WEBHOOK_DELIVERY_NOT_REQUEUED' });
    const foreign = service.inTransaction((tx) => service.webhooks.deliveries.requeue(tx, 'b', failed!.id));
    await expect(foreign).rejects.toMatchObject({ code: 'WEBHOOK_DELIVERY_NOT_FOUND' });
  });

  it('requeues failed deliveries by filter', async () => {
    await start({ settings: { ...testSettings, retry: { ...testSettings.retry, retries: 0 } } });
    const { id } = await createEndpoint('/one');
    await createEndpoint('/other');
    receiver.respond = () => 500;
    await service.emit({ type: 'order.placed', payload: 1 }, { type: 'order.paid', payload: 2 });
    await finished(4);
    receiver.respond = () => 204;
    receiver.received.length = 0;
    const requeue = (filter: object): Promise<number> =>
      service.inTransaction((tx) => service.webhooks.deliveries.requeueAll(tx, '', filter));
    expect(await requeue({ endpointId: id, createdBefore: '2020-01-01T00:00:00Z' })).toBe(0);
    expect(await requeue({ endpointId: id, type: 'order.paid', createdFrom: '2020-01-01T00:00:00+02:00' })).toBe(1);
    await finished(4);
    expect(receiver.received.map(({ path, data }) => [path, data])).toEqual([['/one', 2]]);
    expect(await requeue({})).toBe(3);
    await waitFor(() => receiver.received.length === 4, { what: 'all webhooks' });
  });

  it('adds no jobs for requeued deliveries that wait for an earlier delivery of the same key', async () => {
    await start({ settings: { ...testSettings, retry: { ...testSettings.retry, retries: 0 } } });
    await createEndpoint();
    receiver.respond = () => 500;
    await service.inTransaction((tx) => {
      for (let n = 0; n < 20; n += 1) service.webhooks.emit(tx, { type: 'order.placed', key: 'one', payload: n });
    });
    await finished(20);
    receiver.respond = () => 204;
    receiver.received.length = 0;
    const add = vi.spyOn(service.webhooks.engine.queue, 'addFurtherAttempts');
    expect(await service.inTransaction((tx) => service.webhooks.deliveries.requeueAll(tx, ''))).toBe(20);
    await waitFor(() => receiver.received.length === 20, { what: 'all webhooks' });
    expect(receiver.dataOf()).toEqual(Array.from({ length: 20 }, (_, n) => n));
    const byHand = add.mock.calls.filter(([, options]) => options?.byHand === true);
    expect(byHand.flatMap(([due]) => due)).toHaveLength(1);
  });

  it('returns the attempts of a delivery in pages, newest page first', async () => {
    await start();
    await createEndpoint();
    await service.emit({ type: 'order.placed', payload: 1 });
    await finished(1);
    const [delivery] = (await service.webhooks.deliveries.list(service.pool, '')).deliveries;
    await service.pool.query(
      `INSERT INTO webhooks.attempts (delivery_sequence, number, started, duration_ms)
       SELECT $1, n, now(), n FROM generate_series(2, 60) n`,
      [delivery!.sequence],
    );
    const read = async (query?: object) => {
      const detail = await service.webhooks.deliveries.get(service.pool, '', delivery!.id, query);
      const numbers = detail.attemptLog.map(({ number }) => number);
      return [numbers.at(0), numbers.at(-1), numbers.length, detail.attemptsNext];
    };
    expect(await read()).toEqual([36, 60, 25, 36]);
    expect(await read({ attemptsBefore: 36 })).toEqual([11, 35, 25, 11]);
    expect(await read({ attemptsBefore: '11', attemptsLimit: '25' })).toEqual([1, 10, 10, null]);
    expect(await read({ attemptsBefore: 1 })).toEqual([undefined, undefined, 0, null]);
    expect(await read({ attemptsLimit: 60 })).toEqual([1, 60, 60, null]);
    await expect(read({ attemptsLimit: 101 })).rejects.toMatchObject({ code: 'WEBHOOK_INPUT_INVALID' });
  });

  it('lists deliveries by page, newest first', async () => {
    await start();
    await createEndpoint();
    await service.emit(...[1, 2, 3].map((payload) => ({ type: `order.${payload}`, payload })));
    await finished(3);
    const list = (query: object) => service.webhooks.deliveries.list(service.pool, '', query);
    const first = await list({ limit: 2 });
    expect(first.deliveries.map(({ type }) => type)).toEqual(['order.3', 'order.2']);
    const second = await list({ limit: 2, before: first.next });
    expect(second).toMatchObject({ deliveries: [{ type: 'order.1' }], next: null });
    expect((await list({ type: 'order.2', status: 'succeeded' })).deliveries).toHaveLength(1);
    expect((await list({ status: 'failed' })).deliveries).toHaveLength(0);
    await expect(list({ status: 'unknown' })).rejects.toMatchObject({ code: 'WEBHOOK_INPUT_INVALID' });
  });
});

describe('WebhookEmitter', () => {
  it('emits events that a Webhooks instance with the same name delivers', async () => {
    await start();
    await createEndpoint();
    const emitter = new WebhookEmitter({ outbox: service.outbox });
    await service.inTransaction((tx) => emitter.emit(tx, { type: 'order.placed', payload: 'tea' }));
    await finished(1);
    expect(receiver.dataOf()).toEqual(['tea']);
  });
});

describe('removeEndpointsOfOwner', () => {
  it('deletes the endpoints and deliveries of one owner in batches', async () => {
    await start();
    await createEndpoint('/', { owner: 'a' });
    await createEndpoint('/', { owner: 'b' });
    await service.emit(...['a', 'a', 'a', 'b'].map((owner) => ({ owner, type: 'order.placed', payload: 1 })));
    await finished(4);
    const remove = () => removeEndpointsOfOwner(service.pool, { owner: 'a', limit: 2 });
    expect([await remove(), await remove(), await remove()]).toEqual([3, 1, 0]);
    expect((await service.webhooks.endpoints.list(service.pool, 'b')).endpoints).toHaveLength(1);
    expect((await service.webhooks.deliveries.list(service.pool, 'b')).deliveries).toHaveLength(1);
  });
});

describe('Webhooks.readPendingDeliveryFigures', () => {
  it('returns the number and age of queued deliveries', async () => {
    await start({ settings: { ...testSettings, retry: { ...testSettings.retry, initialMs: 60_000, maxMs: 60_000 } } });
    expect(await service.webhooks.readPendingDeliveryFigures()).toEqual({ queued: 0, oldestAgeSeconds: 0 });
    await createEndpoint();
    receiver.respond = () => 500;
    await service.emit({ type: 'order.placed', payload: 1 });
    await waitFor(() => service.webhooks.metrics().attempts.retried === 1, { what: 'the attempt' });
    const depth = await service.webhooks.readPendingDeliveryFigures();
    expect(depth.queued).toBe(1);
    expect(depth.oldestAgeSeconds).toBeGreaterThan(0);
  });
});

describe('Webhooks.start', () => {
  it('removes expired deliveries through the database of background statements', async () => {
    const statements: string[] = [];
    const sweepDatabase = {
      query: async (sql: string) => {
        statements.push(sql);
        return { rows: [] };
      },
    };
    await start({ sweepDatabase });
    const isRemoval = (sql: string): boolean => sql.includes('DELETE FROM webhooks.deliveries');
    await waitFor(() => statements.some(isRemoval), { what: 'the removal of expired deliveries' });
  });
});

describe('Webhooks with a schema', () => {
  it('shares a database with another instance that has other tables and names', async () => {
    await start();
    const { pool } = service;
    await applyWebhookMigrations(pool, { schema: 'partner_webhooks' });
    const partner = await service.startAnother({ schema: 'partner_webhooks', name: 'partner' });
    try {
      await createEndpoint('/own');
      await partner.webhooks.endpoints.create(pool, '', { url: receiver.url('/partner'), eventTypes: ['*'] });
      await service.emit({ type: 'order.placed', key: '1', payload: 'own' });
      await partner.inTransaction((tx) =>
        partner.webhooks.emit(tx, { type: 'order.placed', key: '1', payload: 'partner' }),
      );
      await waitFor(() => receiver.received.length === 2, { what: 'both webhooks' });
      expect(receiver.dataOf('/own')).toEqual(['own']);
      expect(receiver.dataOf('/partner')).toEqual(['partner']);
      expect((await partner.webhooks.deliveries.list(pool, '')).deliveries).toHaveLength(1);
      expect((await service.webhooks.deliveries.list(pool, '')).deliveries).toHaveLength(1);
    } finally {
      await partner.stop();
    }
  });
});
