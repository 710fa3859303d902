import { randomUUID } from 'node:crypto';
import {
  firstParameter,
  JobCancelledError,
  type InlineRunner,
  type InlineDispatcher,
  type InlineRow,
  type InlineWork,
  type Jobs,
  type QueueLogger,
  type QueueTx,
  type TraceContext,
} from '@switchboard/queue';
import type { InventoryChange } from '../changes/inventory-change-message.js';
import { storedObjectSql, type ClaimedDelivery, type StoredActionObject } from '../destinations/index.js';
import type { CircuitBreakers } from './circuit-breakers.js';
import type { DeliveryJob, DeliveryQueue, defineDeliveryJob } from './delivery-queue.js';
import { orderingKeySql, millisecondsInterval, releaseDelivery } from './delivery-store.js';
import { requestIdOf } from './dispatch-changes.js';
import { eventContext, eventNameOf } from './event-context.js';
import type { EventRule } from './event-rules.js';
import type { EventRuleCache } from './event-rule-cache.js';
import type { WebhookSettings } from './settings.js';

/** Dependencies of {@link InlineDelivery}. */
export interface InlineDeliveryEnvironment {
  readonly database: QueueTx;
  readonly rules: EventRuleCache;
  readonly jobs: Jobs;
  readonly definition: ReturnType<typeof defineDeliveryJob>;
  readonly breakers: CircuitBreakers;
  readonly queue: DeliveryQueue;
  readonly settings: Pick<WebhookSettings, 'leaseMs'>;
  readonly logger: QueueLogger;
}

/** A webhook delivery that is recorded together with its change. */
interface PlannedDelivery {
  readonly job: DeliveryJob;
  readonly rule: EventRule;
  /**
   * True if this process has a free slot for the delivery's first attempt, and no other delivery of the same change
   * must be sent before it.
   */
  readonly claims: boolean;
}

const parameterNames = [
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
const allParameterNames = [...parameterNames, 'payload', 'lease'] as const;
const $ = Object.fromEntries(allParameterNames.map((name, index) => [name, `$${firstParameter + index}`])) as Readonly<
  Record<(typeof allParameterNames)[number], string>
>;

// Wrapped in a subquery, because a planner that sees the length of the array makes a new plan for each execution.
const arrayParameterSql = (parameter: string, type: string): string => `(SELECT ${parameter}::${type}[])`;

const allRowsLockedSql = (table: string, ids: string): string => `
  (SELECT count(*) FROM (SELECT 1 FROM ${table} h WHERE h.id = ANY (${ids}::bigint[]) FOR KEY SHARE SKIP LOCKED) held)
    = (SELECT count(DISTINCT given) FROM unnest(${ids}) given)`;

// Rules and webhooks are locked, because rows of deliveries refer to them. A row that is being deleted is skipped, so
// that the writer neither waits nor fails by a foreign key; the dispatcher then handles the change.
const MAY_START_SQL = `(SELECT v.version::text FROM event_rules_version v) = ${$.version}
  AND ${allRowsLockedSql('extras_eventrule', arrayParameterSql($.rules, 'bigint'))}
  AND ${allRowsLockedSql(
    'extras_webhook',
    `(SELECT coalesce(array_agg(object), '{}')
        FROM unnest(${arrayParameterSql($.actions, 'text')}, ${arrayParameterSql($.objects, 'bigint')}) w (action, object) WHERE action = 'webhook')`,
  )}`;

// The writer has locked the object, so that any earlier unfinished delivery of it is committed and visible here.
const CREATE_DELIVERIES_CTE = `
  given AS (
    SELECT n.*, n.wanted AND NOT EXISTS (
        SELECT 1 FROM webhook_deliveries e
         WHERE e.lane = ${orderingKeySql('n.action', 'n.object', `${$.type}::text`, `${$.id}::bigint`)}) AS claimed
      FROM unnest(${arrayParameterSql($.ids, 'uuid')}, ${arrayParameterSql($.rules, 'bigint')}, ${arrayParameterSql($.actions, 'text')},
                  ${arrayParameterSql($.objects, 'bigint')}, ${arrayParameterSql($.claims, 'boolean')})
           WITH ORDINALITY AS n (id, rule, action, object, wanted, position)
     WHERE (SELECT goes FROM inline)),
  made AS (
    INSERT INTO webhook_deliveries
      (id, event_rule_id, action_type, action_object_id, webhook_id, event, object_type, object_id, request_id, payload,
       attempts, last_attempt_at, next_attempt_at)
    SELECT g.id, g.rule, g.action, g.object, CASE g.action WHEN 'webhook' THEN g.object END, ${$.event}::text,
           ${$.type}::text, ${$.id}::bigint, ${$.request}::uuid, ${$.payload}::json,
           g.claimed::int, CASE WHEN g.claimed THEN clock_timestamp() END,
           clock_timestamp() + CASE WHEN g.claimed THEN ${millisecondsInterval($.lease)} ELSE interval '0' END
      FROM given g ORDER BY g.position
    RETURNING id, attempts, action_type, action_object_id),
  done AS (
    SELECT c.id, c.attempts, ${storedObjectSql} AS destination FROM made c WHERE c.attempts = 1)`;

/**
 * Records the webhook deliveries of a transaction with a single change in the same transaction, and makes their first
 * attempts in this process right after the commit. This saves the outbox row, a second commit and the job
 * (docs/adr/0014). Deliveries follow from cached event rules, and the database checks that these rules are current. If
 * the process dies, its claims expire like those of jobs.
 */
export class InlineDelivery implements InlineDispatcher<InventoryChange> {
  readonly condition = MAY_START_SQL;
  readonly work = CREATE_DELIVERIES_CTE;
  /** Deliveries, by id, that were claimed and whose attempt has not started. */
  readonly claimed = new Map<string, ClaimedDelivery>();

  constructor(private readonly environment: InlineDeliveryEnvironment) {}

  /**
   * Returns the parameters for recording the deliveries of a change, or null if the dispatcher must handle the change;
   * see {@link InlineDispatcher}.
   */
  begin({ payload: change, context }: InlineRow<InventoryChange>): InlineWork | null {
    const { rules, jobs, definition, settings } = this.environment;
    const runner = jobs.inlineRunner(definition);
    if (runner === null) return null;
    const known = rules.match(change);
    // Only the dispatcher creates notifications for groups.
    if (known === null || known.rules.some(({ actionType }) => actionType === 'notification')) {
      void rules.refresh();
      return null;
    }
    const deliveries = this.#deliveriesOf(known.rules, runner);
    const payload = deliveries.length === 0 ? null : eventContext(change);
    return {
      params: [
        known.version,
        deliveries.map(({ job }) => job.deliveryId),
        deliveries.map(({ rule }) => rule.id),
        deliveries.map(({ rule }) => rule.actionType),
        deliveries.map(({ rule }) => rule.actionObjectId),
        deliveries.map(({ claims }) => claims),
        eventNameOf(change),
        change.model,
        change.id,
        requestIdOf(change),
        payload,
        settings.leaseMs,
      ],
      committed: (rows) => this.#begin(deliveries, claimedObjectsOf(rows), { payload: payload ?? '', context, runner }),
      declined: () => void rules.refresh(),
    };
  }

  /**
   * Returns the deliveries to record for a change. Of several deliveries with the same action object, only the first is
   * sent now, and the others wait for it.
   */
  #deliveriesOf(rules: readonly EventRule[], runner: InlineRunner<DeliveryJob>): PlannedDelivery[] {
    const seen = new Set<string>();
    return rules.map((rule) => {
      const job = { deliveryId: randomUUID(), receiver: rule.receiver };
      const action = `${rule.actionType} ${rule.actionObjectId}`;
      const isFirst = !seen.has(action);
      seen.add(action);
      return { job, rule, claims: isFirst && runner.hasRoom(job) && !this.environment.breakers.isOpen(rule.receiver) };
    });
  }

  async #begin(
    deliveries: readonly PlannedDelivery[],
    claims: ReadonlyMap<string, StoredActionObject | null>,
    { payload, context, runner }: { payload: string; context: TraceContext; runner: InlineRunner<DeliveryJob> },
  ): Promise<void> {
    const jobs = deliveries.map(({ job }) => ({ id: job.deliveryId, receiver: job.receiver, context }));
    const { queue } = this.environment;
    const waiting = jobs.filter(({ id }) => !claims.has(id));
    for (const { job, rule } of deliveries) {
      const id = job.deliveryId;
      const destination = claims.get(id);
      if (destination === undefined) continue;
      const delivery = { id, attempt: 1, tries: 1, payload, actionType: rule.actionType, destination };
      this.claimed.set(id, delivery);
      const run = runner.run(job, id, context);
      const asJob = { id, receiver: job.receiver, context };
      if (run !== null) this.#recoverIfInterrupted(run, asJob);
      else if (await this.#releaseClaim(delivery)) waiting.push(asJob);
    }
    await queue.addFirst(waiting);
  }

  /**
   * Releases a claimed delivery whose attempt found no free slot. Returns false if the release failed; the lease of the
   * delivery must then expire.
   */
  async #releaseClaim(delivery: ClaimedDelivery): Promise<boolean> {
    this.claimed.delete(delivery.id);
    const { database, logger } = this.environment;
    try {
      await releaseDelivery(database, delivery);
      return true;
    } catch (error) {
      logger.warn({ deliveryId: delivery.id, err: error }, 'a claimed webhook delivery could not be released');
      return false;
    }
  }

  /**
   * Adds a job if an attempt was interrupted or could not be recorded. If the job cannot be added, {@link
   * DeliverySweep} adds it later.
   */
  #recoverIfInterrupted(run: Promise<void>, job: Parameters<DeliveryQueue['addFirst']>[0][number]): void {
    const { queue, logger } = this.environment;
    run
      .catch(async (error: unknown) => {
        this.claimed.delete(job.id);
        // The operator's action has already updated the row.
        if (error instanceof JobCancelledError) return;
        logger.warn(
          { deliveryId: job.id, err: error },
          'first attempt of a webhook delivery failed before it was recorded, adding a job',
        );
        await queue.addFirst([job]);
      })
      .catch((error: unknown) =>
        logger.warn(
          { deliveryId: job.id, err: error },
          'job of a webhook delivery could not be added, the sweep will retry',
        ),
      );
  }
}

/**
 * Returns the action objects of the claimed deliveries, by delivery id, from the rows of the statement that created
 * them.
 */
function claimedObjectsOf(rows: readonly Record<string, unknown>[]): Map<string, StoredActionObject | null> {
  return new Map(
    rows.flatMap(({ id, destination }) =>
      typeof id === 'string' ? [[id, (destination ?? null) as StoredActionObject | null] as const] : [],
    ),
  );
}
