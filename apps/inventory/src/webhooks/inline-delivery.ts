import { randomUUID } from 'node:crypto';
import {
  firstInlineParameterNumber,
  type InlineDispatcher,
  type InlineOutboxRow,
  type InlineDispatchWork,
} from '@switchboard/queue';
import { millisecondsInterval, type FirstAttempts } from '@switchboard/webhooks';
import type { InventoryChange } from '../changes/inventory-change-message.js';
import { deliveryTargetSql, createDeliveryOrderingKeySql, type DeliveryActionTarget } from './delivery-tables.js';
import { getStoredRequestId } from './dispatch-changes.js';
import { createEventContext, getEventName } from './webhook-event-context.js';
import type { EventRuleCache } from './event-rule-cache.js';
import type { WebhookSettings } from './webhook-settings.js';

/** Services on which {@link InlineDelivery} depends. */
export interface InlineDeliveryEnvironment {
  readonly rules: EventRuleCache;
  readonly firstAttempts: FirstAttempts<DeliveryActionTarget>;
  readonly settings: Pick<WebhookSettings, 'leaseMs'>;
}

const inlineDeliveryParameterNames = [
  'version',
  'ids',
  'rules',
  'actions',
  'objects',
  'claims',
  'event',
  'type',
  'id',
  'request',
] as const;
const allInlineDeliveryParameterNames = [...inlineDeliveryParameterNames, 'payload', 'lease'] as const;
const placeholderByParameterName = Object.fromEntries(
  allInlineDeliveryParameterNames.map((name, index) => [name, `$${firstInlineParameterNumber + index}`]),
) as Readonly<Record<(typeof allInlineDeliveryParameterNames)[number], string>>;

// Wrapped in a subquery, because a planner that sees the length of the array makes a new plan for each execution.
const createArrayParameterSql = (parameter: string, type: string): string => `(SELECT ${parameter}::${type}[])`;

const createAllRowsLockedSql = (table: string, ids: string): string => `
  (SELECT count(*) FROM (SELECT 1 FROM ${table} h WHERE h.id = ANY (${ids}::bigint[]) FOR KEY SHARE SKIP LOCKED) held)
    = (SELECT count(DISTINCT given) FROM unnest(${ids}) given)`;

// Rules and webhooks are locked, because rows of deliveries refer to them. A row that is being deleted is skipped, so
// that the writer neither waits nor fails by a foreign key; the dispatcher then handles the change.
const MAY_START_DELIVERY_SQL = `(SELECT v.version::text FROM event_rules_version v) = ${placeholderByParameterName.version}
  AND ${createAllRowsLockedSql('extras_eventrule', createArrayParameterSql(placeholderByParameterName.rules, 'bigint'))}
  AND ${createAllRowsLockedSql(
    'extras_webhook',
    `(SELECT coalesce(array_agg(object), '{}')
        FROM unnest(${createArrayParameterSql(placeholderByParameterName.actions, 'text')}, ${createArrayParameterSql(placeholderByParameterName.objects, 'bigint')}) w (action, object) WHERE action = 'webhook')`,
  )}`;

// The writer has locked the object, so that any earlier unfinished delivery of it is committed and visible here.
const CREATE_DELIVERIES_CTE = `
  given AS (
    SELECT n.*, n.wanted AND NOT EXISTS (
        SELECT 1 FROM webhook_deliveries e
         WHERE e.lane = ${createDeliveryOrderingKeySql('n.action', 'n.object', `${placeholderByParameterName.type}::text`, `${placeholderByParameterName.id}::bigint`)}) AS claimed
      FROM unnest(${createArrayParameterSql(placeholderByParameterName.ids, 'uuid')}, ${createArrayParameterSql(placeholderByParameterName.rules, 'bigint')}, ${createArrayParameterSql(placeholderByParameterName.actions, 'text')},
                  ${createArrayParameterSql(placeholderByParameterName.objects, 'bigint')}, ${createArrayParameterSql(placeholderByParameterName.claims, 'boolean')})
           WITH ORDINALITY AS n (id, rule, action, object, wanted, position)
     WHERE (SELECT goes FROM inline)),
  made AS (
    INSERT INTO webhook_deliveries
      (id, event_rule_id, action_type, action_object_id, webhook_id, event, object_type, object_id, request_id, payload,
       attempts, last_attempt_at, next_attempt_at)
    SELECT g.id, g.rule, g.action, g.object, CASE g.action WHEN 'webhook' THEN g.object END, ${placeholderByParameterName.event}::text,
           ${placeholderByParameterName.type}::text, ${placeholderByParameterName.id}::bigint, ${placeholderByParameterName.request}::uuid, ${placeholderByParameterName.payload}::json,
           g.claimed::int, CASE WHEN g.claimed THEN clock_timestamp() END,
           clock_timestamp() + CASE WHEN g.claimed THEN ${millisecondsInterval(placeholderByParameterName.lease)} ELSE interval '0' END
      FROM given g ORDER BY g.position
    RETURNING id, attempts, action_type, action_object_id),
  done AS (
    SELECT c.id, c.attempts, ${deliveryTargetSql} AS target FROM made c WHERE c.attempts = 1)`;

/**
 * Handles webhook deliveries of transactions that contain a single change. The same transaction records the deliveries.
 * Right after the commit, this process makes the first attempt of each delivery. No outbox row, second commit or job is
 * needed (docs/adr/0014). The deliveries follow from cached event rules, and the database checks that the cached rules
 * are current.
 */
export class InlineDelivery implements InlineDispatcher<InventoryChange> {
  readonly condition = MAY_START_DELIVERY_SQL;
  readonly work = CREATE_DELIVERIES_CTE;

  constructor(private readonly environment: InlineDeliveryEnvironment) {}

  /**
   * Returns the parameter values with which a statement records the deliveries of a change. Returns null if the
   * dispatcher of the outbox must handle the change; see {@link InlineDispatcher}.
   */
  begin({ payload: change, context }: InlineOutboxRow<InventoryChange>): InlineDispatchWork | null {
    const { rules, firstAttempts, settings } = this.environment;
    const runner = firstAttempts.findInlineAttemptRunner();
    if (runner === null) return null;
    const known = rules.findMatchingRules(change);
    // Only the dispatcher creates notifications for groups.
    if (known === null || known.rules.some(({ actionType }) => actionType === 'notification')) {
      void rules.refreshEventRules();
      return null;
    }
    // Of several deliveries of one action object, only the first is sent now, and the others wait for it.
    const planned = firstAttempts.planInlineAttempts(
      known.rules.map(({ receiver, actionType, actionObjectId }) => {
        return { id: randomUUID(), receiver, lane: `${actionType} ${actionObjectId}` };
      }),
      runner,
    );
    const payload = planned.length === 0 ? null : createEventContext(change);
    return {
      params: [
        known.version,
        planned.map(({ id }) => id),
        known.rules.map(({ id }) => id),
        known.rules.map(({ actionType }) => actionType),
        known.rules.map(({ actionObjectId }) => actionObjectId),
        planned.map(({ claims }) => claims),
        getEventName(change),
        change.model,
        change.id,
        getStoredRequestId(change),
        payload,
        settings.leaseMs,
      ],
      committed: (rows) =>
        firstAttempts.beginFirstAttempts(
          { planned, claimed: getClaimedDeliveryTargets(rows), payload: payload ?? '', context },
          runner,
        ),
      declined: () => void rules.refreshEventRules(),
    };
  }
}

/**
 * Returns the targets of deliveries that this process may send, by delivery id. `rows` are the result of the statement
 * that created the deliveries.
 */
function getClaimedDeliveryTargets(rows: readonly Record<string, unknown>[]): Map<string, DeliveryActionTarget | null> {
  return new Map(
    rows.flatMap(({ id, target }) =>
      typeof id === 'string' ? [[id, (target ?? null) as DeliveryActionTarget | null] as const] : [],
    ),
  );
}
