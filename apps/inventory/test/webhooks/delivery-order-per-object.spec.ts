import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeliveryStore, createDeliveryOrderingKeySql } from '../../src/webhooks/delivery-tables.js';
import { WebhookTestEnvironment } from './webhook-test-service.js';

let rig: WebhookTestEnvironment;
beforeAll(async () => {
  rig = await WebhookTestEnvironment.create();
});
afterAll(() => rig.close());

describe('ordering key (column lane) of webhook deliveries', () => {
  it('contains action and object only while the delivery is queued', async () => {
    const hook = await rig.addWebhook('https://receiver.example/');
    const { rows } = await rig.database.query(
      `WITH d AS (
         INSERT INTO webhook_deliveries (action_object_id, webhook_id, event, object_type, object_id, payload, status)
         SELECT $1, $1, 'updated', 'dcim.site', 7, '{}', status FROM unnest(ARRAY['queued', 'succeeded', 'failed']) status
         RETURNING *)
       SELECT status, lane, lane = ${createDeliveryOrderingKeySql('d.action_type', 'd.action_object_id', 'd.object_type', 'd.object_id')} AS same
         FROM d ORDER BY status`,
      [hook],
    );
    expect(rows).toEqual([
      { status: 'failed', lane: null, same: null },
      { status: 'queued', lane: `webhook ${hook} dcim.site 7`, same: true },
      { status: 'succeeded', lane: null, same: null },
    ]);
  });

  it('has a partial index of queued deliveries, which PostgreSQL uses even without statistics', async () => {
    await rig.database.query(
      `INSERT INTO webhook_deliveries (event, object_type, object_id, payload, status)
       SELECT 'updated', 'dcim.site', 7, '{}', 'succeeded' FROM generate_series(1, 500)`,
    );
    for (const sql of [
      `SELECT ${createDeliveryStore.sql.isBlocked} FROM webhook_deliveries d WHERE d.id = gen_random_uuid()`,
      `SELECT (${createDeliveryStore.sql.nextInLane}) FROM webhook_deliveries d WHERE d.id = gen_random_uuid()`,
      `SELECT 1 FROM webhook_deliveries e WHERE e.lane = ${createDeliveryOrderingKeySql("'webhook'", '5', "'dcim.site'", '7')}`,
    ]) {
      const { rows } = await rig.database.query<Record<string, string>>(`EXPLAIN ${sql}`);
      const plan = rows.flatMap((row) => Object.values(row)).join('\n');
      expect(plan).toContain('webhook_deliveries_lane_task_idx');
    }
  });
});
