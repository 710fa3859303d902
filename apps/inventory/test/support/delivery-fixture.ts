import type { ReadOnlyFixture } from './describe-read-only.js';
import type { TestInventory } from './test-service.js';

/** Adds a webhook and an event rule that triggers the webhook. Returns the ids of both objects. */
export async function addHook(
  { api }: TestInventory,
  name: string,
  payloadUrl = 'http://127.0.0.1:9/in',
): Promise<{ readonly webhook: number; readonly rule: number }> {
  const hook = await api.post<{ id: number }>('/api/extras/webhooks/', { json: { name, payload_url: payloadUrl } });
  const rule = await api.post<{ id: number }>('/api/extras/event-rules/', {
    json: {
      name,
      object_types: ['dcim.site'],
      event_types: ['object_created', 'object_updated', 'object_deleted'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: hook.body.id,
    },
  });
  return { webhook: hook.body.id, rule: rule.body.id };
}

/** A webhook delivery that a test inserts into the database. */
export interface StoredDelivery {
  readonly status: 'queued' | 'succeeded' | 'failed';
  readonly objectId: number;
  readonly objectType?: string;
  readonly event?: string;
  readonly error?: string | null;
  readonly requestId?: string | null;
  readonly finished?: string | null;
}

/**
 * Inserts deliveries of a webhook into the database, in the form in which the service stores deliveries. Returns the
 * ids of the deliveries.
 */
export async function addDeliveries(
  { inventory }: TestInventory,
  { webhook, rule }: { readonly webhook: number; readonly rule: number },
  deliveries: readonly StoredDelivery[],
): Promise<number[]> {
  const { rows } = await inventory.database.query<{ id: number }>(
    `INSERT INTO webhook_deliveries (event_rule_id, webhook_id, action_type, action_object_id, event, object_type,
        object_id, request_id, status, attempts, next_attempt_at, payload, error, response_status, duration_ms,
        created, last_attempt_at, finished)
      SELECT $1, $2, 'webhook', $2, coalesce(n.event, 'updated'), coalesce(n."objectType", 'dcim.site'), n."objectId",
             n."requestId", n.status, 1, CASE n.status WHEN 'queued' THEN '2099-01-01'::timestamptz END,
             '{"event": "updated"}', n.error, CASE n.status WHEN 'failed' THEN 500 ELSE 200 END, 12,
             '2026-01-01', '2026-01-02', n.finished
        FROM json_to_recordset($3::json) AS n (status text, "objectId" bigint, "objectType" text, event text,
             error text, "requestId" uuid, finished timestamptz)
      RETURNING sequence AS id`,
    [rule, webhook, JSON.stringify(deliveries)],
  );
  return rows.map(({ id }) => Number(id));
}

const requestId = '00000000-0000-4000-8000-000000000007';

/** Fixture (test data) of webhook deliveries. */
export const deliveryFixture: ReadOnlyFixture = {
  rows: 3,
  prepare: async (test) => {
    const first = await addHook(test, 'First');
    const second = await addHook(test, 'Second');
    await addDeliveries(test, first, [
      { status: 'queued', objectId: 7, event: 'created', requestId },
      { status: 'failed', objectId: 7, error: 'Status 500 returned', finished: '2026-02-01' },
    ]);
    await addDeliveries(test, second, [
      { status: 'succeeded', objectId: 8, objectType: 'dcim.rack', finished: '2026-03-01' },
    ]);
  },
  filters: [
    { query: 'id=1', finds: 1 },
    { query: 'delivery_id=00000000-0000-4000-8000-000000000000', finds: 0 },
    { query: 'status=failed', finds: 1 },
    { query: 'status=failed&status=queued', finds: 2 },
    { query: 'status__n=failed', finds: 2 },
    { query: 'webhook=First', finds: 2 },
    { query: 'webhook_id=2', finds: 1 },
    { query: 'webhook_id=null', finds: 0 },
    { query: 'event_rule=Second', finds: 1 },
    { query: 'event_rule_id=1', finds: 2 },
    { query: 'action_type=webhook', finds: 3 },
    { query: 'action_object_id=2', finds: 1 },
    { query: 'event=created', finds: 1 },
    { query: 'object_type=dcim.rack', finds: 1 },
    { query: 'object_type_id=null', finds: 0 },
    { query: 'object_type=dcim.site&object_id=7', finds: 2 },
    { query: 'object_id__gt=7', finds: 1 },
    { query: `request_id=${requestId}`, finds: 1 },
    { query: 'attempts=1', finds: 3 },
    { query: 'next_attempt_at__gt=2090-01-01', finds: 1 },
    { query: 'response_status=500', finds: 1 },
    { query: 'error__ic=status 500', finds: 1 },
    { query: 'duration_ms__lt=12', finds: 0 },
    { query: 'created__gte=2026-01-01', finds: 3 },
    { query: 'created__lt=2026-01-01', finds: 0 },
    { query: 'last_attempt_at__lte=2026-01-02', finds: 3 },
    { query: 'finished__gte=2026-02-01&finished__lt=2026-03-01', finds: 1 },
    { query: 'finished__empty=true', finds: 1 },
    { query: 'q=RACK', finds: 1 },
    { query: 'q=returned', finds: 1 },
  ],
};
