import { randomUUID } from 'node:crypto';
import type { DispatchedOutboxRow, OutboxRowsDispatcher, QueueTx, TraceContext } from '@switchboard/queue';
import type { DeliveryQueue } from '@switchboard/webhooks';
import type { InventoryChange } from '../changes/inventory-change-message.js';
import { createDeliveryStore } from './delivery-tables.js';
import { createEventContext, getEventName } from './webhook-event-context.js';
import { listCandidateRules, EventRuleMatcher, type EventRule, type RuleLogger } from './event-rules.js';
import { notifyGroupMembers } from './notify-group-members.js';

interface NewDelivery {
  readonly id: string;
  readonly rule: EventRule;
  readonly change: InventoryChange;
  readonly payload: string;
  readonly context: TraceContext;
  readonly isBulk: boolean;
}

// The order of the first arrays determines the sequence numbers, and so the order of delivery. Deliveries of one change
// share a payload, which is sent once.
const INSERT_DELIVERIES_SQL = `
  INSERT INTO webhook_deliveries
    (id, event_rule_id, action_type, action_object_id, webhook_id, event, object_type, object_id, request_id, payload)
  SELECT n.id, n.rule, n.action, n.object, CASE n.action WHEN 'webhook' THEN n.object END,
         n.event, n.object_type, n.object_id, n.request_id, c.payload::json
    FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::uuid[],
                $9::bigint[])
         WITH ORDINALITY AS n (id, rule, action, object, event, object_type, object_id, request_id, content, position)
    JOIN unnest($10::text[]) WITH ORDINALITY AS c (payload, number) ON c.number = n.content
   ORDER BY n.position`;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Services on which {@link createChangesDispatcher} depends. */
export interface ChangesDispatcherEnvironment {
  /** Connection pool or database in which each SQL statement is a separate transaction. */
  readonly database: QueueTx;
  readonly queue: DeliveryQueue;
  readonly log: RuleLogger;
}

/**
 * Returns the dispatcher of the outbox message type `inventory.changes`. The dispatcher matches changes with event
 * rules, records one delivery per match, and creates notifications for groups. The dispatcher runs in the transaction
 * that deletes the outbox rows, so that each committed change is matched exactly once. The dispatcher sends at most
 * three statements per batch. After the commit, jobs are added for deliveries that need not wait for an earlier
 * delivery.
 */
export function createChangesDispatcher({
  database,
  queue,
  log,
}: ChangesDispatcherEnvironment): OutboxRowsDispatcher<InventoryChange> {
  return async (rows, tx) => {
    const rules = await listCandidateRules(
      tx,
      rows.map((row) => row.payload),
    );
    const matcher = new EventRuleMatcher(rules, log);
    const matches = rows.flatMap((row) => matcher.listMatchingRules(row.payload).map((rule) => ({ rule, row })));
    const notices = matches.filter(({ rule }) => rule.actionType === 'notification');
    if (notices.length > 0)
      await notifyGroupMembers(
        tx,
        notices.map(({ rule, row }) => ({ rule, change: row.payload })),
      );
    const deliveries = createDeliveriesOfMatches(matches.filter(({ rule }) => rule.actionType !== 'notification'));
    if (deliveries.length === 0) return;
    await insertDeliveries(tx, deliveries);
    const jobs = deliveries.map(({ id, rule: { receiver }, context, isBulk }) => ({ id, receiver, context, isBulk }));
    return {
      // Jobs of blocked deliveries would delay those of other objects.
      afterCommit: async () => {
        const unblocked = await createDeliveryStore.listWithoutEarlierDelivery(
          database,
          jobs.map(({ id }) => id),
        );
        await queue.addFirstAttempts(jobs.filter(({ id }) => unblocked.has(id)));
      },
    };
  };
}

interface EventRuleMatch {
  readonly rule: EventRule;
  readonly row: DispatchedOutboxRow<InventoryChange>;
}

/**
 * Returns the deliveries to create for changes that match event rules. If several rules match the same change, they
 * share one payload.
 */
function createDeliveriesOfMatches(matches: readonly EventRuleMatch[]): NewDelivery[] {
  const payloads = new Map<InventoryChange, string>();
  return matches.map(({ rule, row: { payload: change, context, bulk } }) => {
    const payload = payloads.get(change) ?? createEventContext(change);
    payloads.set(change, payload);
    return { id: randomUUID(), rule, change, payload, context, isBulk: bulk };
  });
}

async function insertDeliveries(tx: QueueTx, deliveries: readonly NewDelivery[]): Promise<void> {
  const payloads = [...new Map(deliveries.map(({ change, payload }) => [change, payload]))];
  const numbers = new Map(payloads.map(([change], index) => [change, index + 1]));
  await tx.query(INSERT_DELIVERIES_SQL, [
    deliveries.map(({ id }) => id),
    deliveries.map(({ rule }) => rule.id),
    deliveries.map(({ rule }) => rule.actionType),
    deliveries.map(({ rule }) => rule.actionObjectId),
    deliveries.map(({ change }) => getEventName(change)),
    deliveries.map(({ change }) => change.model),
    deliveries.map(({ change }) => change.id),
    deliveries.map(({ change }) => getStoredRequestId(change)),
    deliveries.map(({ change }) => numbers.get(change)),
    payloads.map(([, payload]) => payload),
  ]);
}

/**
 * Returns the request id of a change for the database column, which accepts only UUIDs. Returns null if the request id
 * is not a UUID. The payload of the event contains the original id.
 */
export function getStoredRequestId(change: InventoryChange): string | null {
  return change.requestId !== null && uuidPattern.test(change.requestId) ? change.requestId : null;
}
