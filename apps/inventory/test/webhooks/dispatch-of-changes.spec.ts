import { randomUUID } from 'node:crypto';
import type { DispatchedOutboxRow, QueueTx } from '@switchboard/queue';
import { defineDeliveryJob, DeliveryQueue } from '@switchboard/webhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { InventoryChange } from '../../src/changes/inventory-change-message.js';
import { createChangesDispatcher } from '../../src/webhooks/dispatch-changes.js';
import { quickSettings, WebhookTestEnvironment, siteChange } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;
const nowhere = 'http://127.0.0.1:9/';
const warnings: { rule?: string; problem?: string }[] = [];

beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
});
afterEach(async () => {
  await rig.reset();
  warnings.length = 0;
});
afterAll(() => rig.close());

/** Ids of the deliveries for which the last {@link dispatch} added jobs. */
let withJobs: string[] = [];
/** Parameters of the SQL statements of the last {@link dispatch}. */
let parameters: unknown[] = [];

/**
 * Dispatches changes as the outbox does, but sends no deliveries. Returns the first word of each SQL statement that
 * ran.
 */
async function dispatch(...changes: InventoryChange[]): Promise<string[]> {
  const { jobs } = rig.process({ start: false });
  const queue = new DeliveryQueue(jobs, defineDeliveryJob(quickSettings()));
  withJobs = [];
  vi.spyOn(queue, 'addFirstAttempts').mockImplementation(
    async (added) => void withJobs.push(...added.map(({ id }) => id)),
  );
  const log = { warn: (fields: object) => void warnings.push(fields) };
  const dispatcher = createChangesDispatcher({ database: rig.database, queue, log });
  const rows = changes.map((payload, index): DispatchedOutboxRow<InventoryChange> => {
    return { id: index + 1, key: null, payload, attempts: 0, createdAt: new Date(), context: {}, bulk: false };
  });
  const statements: string[] = [];
  parameters = [];
  const result = await rig.database.inTransaction(async (tx) => {
    const counting: QueueTx = {
      query: (sql, params) => {
        statements.push(sql.trim().split(' ')[0] ?? '');
        parameters.push(...(params ?? []));
        return tx.query(sql, params);
      },
    };
    return dispatcher(rows, counting);
  });
  await result?.afterCommit?.();
  return statements;
}

async function webhooksOf(): Promise<(number | null)[]> {
  return (await rig.deliveries()).map(({ webhook_id: id }) => id);
}

describe('dispatcher of change events, for a batch', () => {
  it('creates deliveries in the order of the changes, and then of rule names', async () => {
    const second = await rig.addWebhook(nowhere, {}, { name: 'b' });
    const first = await rig.addWebhook(nowhere, {}, { name: 'a' });
    await dispatch(siteChange({ id: 2 }), siteChange({ id: 1 }));
    const rows = await rig.deliveries();
    expect(rows.map(({ object_id: id, webhook_id: webhook }) => [id, webhook])).toEqual([
      [2, first],
      [2, second],
      [1, first],
      [1, second],
    ]);
    expect(rows.every(({ status, attempts }) => status === 'queued' && attempts === 0)).toBe(true);
  });

  it('sends the payload of a change to the database once when several event rules match', async () => {
    for (let n = 0; n < 3; n += 1) await rig.addWebhook(nowhere);
    const text = 'long '.repeat(1000);
    await dispatch(
      siteChange({ id: 1, data: { description: text } }),
      siteChange({ id: 2, data: { description: text } }),
    );
    expect(JSON.stringify(parameters).split(text)).toHaveLength(1 + 2);
    const rows = await rig.deliveries();
    expect(rows.map(({ object_id: id, payload }) => [id, payload['data']])).toEqual(
      [1, 1, 1, 2, 2, 2].map((id) => [id, { description: text }]),
    );
  });

  it('runs two SQL statements for a batch of any size', async () => {
    await rig.addWebhook(nowhere);
    await rig.addWebhook(nowhere);
    const changes = Array.from({ length: 100 }, (_, id) => siteChange({ id: id + 1 }));
    expect(await dispatch(...changes)).toEqual(['SELECT', 'INSERT']);
    expect(await rig.deliveries()).toHaveLength(200);
  });

  it('creates all notifications of a group by one further SQL statement', async () => {
    await rig.addWebhook(nowhere);
    const { rows: made } = await rig.database.query<{ id: number }>(
      `WITH u AS (INSERT INTO users_user (username, password) SELECT 'member ' || n, '' FROM generate_series(1, 20) n RETURNING id),
            g AS (INSERT INTO extras_notificationgroup (name) VALUES ('one'), ('two') RETURNING id),
            m AS (INSERT INTO extras_notificationgroup_users (notificationgroup_id, user_id) SELECT g.id, u.id FROM g, u)
       SELECT id FROM g`,
    );
    const action = { type: 'notification', objectType: 'extras.notificationgroup' };
    for (const { id } of made) await rig.addRule({ ...action, objectId: id });
    const changes = Array.from({ length: 50 }, (_, id) => siteChange({ id: id + 1 }));
    const gone = siteChange({ id: 1, event: 'deleted' });
    expect(await dispatch(...changes, gone)).toEqual(['SELECT', 'INSERT', 'INSERT']);
    const { rows } = await rig.database.query(
      `SELECT event_type, count(*)::int, count(DISTINCT object_id)::int AS objects FROM extras_notification
        WHERE read IS NULL GROUP BY event_type ORDER BY event_type`,
    );
    expect(rows).toEqual([
      { event_type: 'object_deleted', count: 20, objects: 1 },
      { event_type: 'object_updated', count: 49 * 20, objects: 49 },
    ]);
    await rig.database.query(
      `WITH n AS (DELETE FROM extras_notification) DELETE FROM users_user WHERE username LIKE 'member %'`,
    );
  });

  it('writes nothing when no rule matches', async () => {
    expect(await dispatch(siteChange())).toEqual(['SELECT']);
  });

  it('adds no jobs for deliveries that wait for an earlier delivery of the same object', async () => {
    await rig.addWebhook(nowhere, {}, { name: 'a' });
    await rig.addWebhook(nowhere, {}, { name: 'b' });
    await dispatch(siteChange({ id: 1 }), siteChange({ id: 2 }), siteChange({ id: 1 }));
    const first = await rig.deliveries();
    expect(first).toHaveLength(6);
    expect(withJobs).toEqual(first.slice(0, 4).map(({ id }) => id));
    await dispatch(siteChange({ id: 2 }), siteChange({ id: 3 }));
    const later = (await rig.deliveries()).slice(6);
    expect(withJobs).toEqual(later.slice(2).map(({ id }) => id));
  });

  it('matches only enabled rules of the object type and event', async () => {
    const wanted = await rig.addWebhook(nowhere, {}, { objectTypes: ['dcim.region', 'dcim.site'] });
    await rig.addWebhook(nowhere, {}, { enabled: false });
    await rig.addWebhook(nowhere, {}, { objectTypes: ['dcim.region'] });
    await rig.addWebhook(nowhere, {}, { objectTypes: [] });
    await rig.addWebhook(nowhere, {}, { eventTypes: ['object_created', 'object_deleted'] });
    await dispatch(siteChange());
    expect(await webhooksOf()).toEqual([wanted]);
  });

  it('matches each change only against rules for its event', async () => {
    const creations = await rig.addWebhook(nowhere, {}, { eventTypes: ['object_created'] });
    const regions = await rig.addWebhook(nowhere, {}, { objectTypes: ['dcim.region'], eventTypes: ['object_updated'] });
    await dispatch(
      siteChange({ id: 1, event: 'created' }),
      siteChange({ id: 2 }),
      siteChange({ id: 3, model: 'dcim.region' }),
    );
    expect(await webhooksOf()).toEqual([creations, regions]);
  });

  it('triggers an event rule only if the object meets the conditions of the rule', async () => {
    const active = await rig.addWebhook(
      nowhere,
      {},
      { conditions: { and: [{ attr: 'status.value', value: 'active' }] } },
    );
    await rig.addWebhook(nowhere, {}, { conditions: { attr: 'status.value', value: 'planned' } });
    const moved = await rig.addWebhook(nowhere, {}, { conditions: { attr: 'status', op: 'changed' } });
    await dispatch(siteChange());
    expect((await webhooksOf()).toSorted()).toEqual([active, moved].toSorted());
    expect(warnings).toEqual([]);
  });

  it('continues with other rules after a rule that cannot be read or evaluated', async () => {
    await rig.addWebhook(nowhere, {}, { name: 'undecidable', conditions: { attr: 'nothing', value: 1, negate: true } });
    await rig.addWebhook(nowhere, {}, { name: 'unreadable', conditions: { xor: [] } });
    const sound = await rig.addWebhook(nowhere);
    await dispatch(siteChange({ id: 1 }), siteChange({ id: 2 }));
    expect(await webhooksOf()).toEqual([sound, sound]);
    expect(warnings.filter(({ rule }) => rule === 'undecidable')).toHaveLength(2);
    expect(warnings.filter(({ rule }) => rule === 'unreadable')).toHaveLength(1);
  });

  it('stores event payloads byte for byte', async () => {
    await rig.addWebhook(nowhere);
    const data = { zeta: 1, '10': 'ten', alpha: { b: null, a: [1.5] } };
    const change = siteChange({ data, requestId: 'not-a-uuid', request: null });
    await dispatch(change);
    const { rows } = await rig.database.query<{ text: string; request_id: string | null }>(
      'SELECT payload::text AS text, request_id FROM webhook_deliveries',
    );
    const { event, timestamp, username, snapshots } = change;
    const expected = {
      event,
      timestamp,
      object_type: 'dcim.site',
      username,
      request_id: 'not-a-uuid',
      data,
      snapshots,
    };
    expect(rows).toEqual([{ text: JSON.stringify(expected), request_id: null }]);
  });

  it('creates no delivery and throws no error for an event rule whose webhook was deleted', async () => {
    const id = await rig.addWebhook(nowhere);
    await rig.database.query('DELETE FROM extras_webhook WHERE id = $1', [id]);
    expect(await dispatch(siteChange({ requestId: randomUUID() }))).toEqual(['SELECT']);
  });
});
