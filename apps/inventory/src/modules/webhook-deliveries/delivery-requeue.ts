import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import { type PermissionGrant, type InventoryActor, requirePermissionGrant } from '../../engine/object-access.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { type CompiledListFilters, compileFilters } from '../../engine/filter/compile-filters.js';
import { parseBooleanFilterValue } from '../../engine/filter/filter-problem.js';
import { inTransactionWithPatternTimeout } from '../../engine/read/query-with-pattern-timeout.js';
import { rejectUnknownFilterValues } from '../../engine/read/list-reader.js';
import { objectRowAlias } from '../../engine/read/object-json-sql.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import type { InventoryContext } from '../../http/inventory-context.js';
import { webhookDeliveryModel } from '../../models/extras/webhook-delivery.js';
import { requeueDeliveries } from '../../webhooks/index.js';

/**
 * Names of query parameters that lists accept but that are not filters. Requests to requeue deliveries reject these
 * parameters.
 */
const nonFilterParameters = ['export', 'limit', 'offset', 'ordering', 'start'];

/** Error message for a request to requeue deliveries that has neither a filter nor `all=true`. */
export const requeueWithoutFilterMessage = 'Give a filter, or all=true to requeue every failed delivery.';

/**
 * Queues failed webhook deliveries again. Users need the permissions `view` and `requeue`. If a user lacks either
 * permission for a delivery, the delivery is treated as nonexistent.
 */
export class DeliveryRequeuer {
  constructor(
    private readonly parts: Pick<InventoryContext, 'database' | 'outbox' | 'policy' | 'services'>,
    private readonly registry: ModelRegistry,
  ) {}

  /**
   * Requeues one webhook delivery that has failed, or that waits for its next attempt or receiver.
   *
   * @throws ApplicationError OBJECT_NOT_FOUND, or DELIVERY_NOT_FAILED for a delivery in another state
   */
  async requeueDelivery(actor: InventoryActor, id: string): Promise<void> {
    const grants = this.#grants(actor);
    const { database, outbox } = this.parts;
    const parameters = new SqlParameters();
    const where = [
      `${objectRowAlias}.id = ${parameters.add(id, 'bigint')}`,
      ...createPermissionGrantConditions(grants, parameters),
    ].join(' AND ');
    const { values } = parameters;
    await database.inTransaction(async (tx) => {
      const { requeued } = await requeueDeliveries(tx, outbox, { where, waiting: true, values });
      if (requeued === 0) await rejectNotFailedDelivery(tx, where, values);
    });
  }

  /**
   * Requeues all failed webhook deliveries that match the filters of the query string. Returns the number of requeued
   * deliveries.
   *
   * @throws ApplicationError VALIDATION_FAILED for an unknown filter, and for a query string with neither a filter nor
   *   `all=true`
   */
  async requeueMatchingDeliveries(actor: InventoryActor, query: URLSearchParams): Promise<number> {
    const grants = this.#grants(actor);
    const requested = new URLSearchParams(query);
    requested.delete('all');
    const parameters = new SqlParameters();
    const filters = this.#compileFilters(actor, requested, parameters);
    if (filters.conditions.length === 0 && parseBooleanFilterValue(query.get('all') ?? '') !== true)
      throw createValidationError({ all: [requeueWithoutFilterMessage] });
    const where = [...filters.conditions, ...createPermissionGrantConditions(grants, parameters), 'true'].join(' AND ');
    const checks = filters.checks.map(({ expression }) => expression);
    const { database, outbox } = this.parts;
    const run = async (tx: Tx): Promise<number> => {
      const { requeued, found } = await requeueDeliveries(tx, outbox, { where, checks, values: parameters.values });
      // If a filter value names no object, the error rolls the transaction back.
      rejectUnknownFilterValues(filters, found);
      return requeued;
    };
    const { patterns } = filters;
    return patterns.length === 0
      ? database.inTransaction(run)
      : inTransactionWithPatternTimeout(database, { parameters: patterns }, run);
  }

  #compileFilters(actor: InventoryActor, query: URLSearchParams, parameters: SqlParameters): CompiledListFilters {
    const strange = nonFilterParameters.filter((name) => query.has(name));
    if (strange.length > 0) {
      throw createValidationError(
        Object.fromEntries(strange.map((name) => [name, ['A requeue takes the filters of the list alone.']])),
      );
    }
    // A misspelt filter would requeue unintended deliveries.
    const { services, policy } = this.parts;
    const options = { alias: objectRowAlias, actor, policy, strict: true, services };
    return compileFilters(webhookDeliveryModel, this.registry, query, parameters, options);
  }

  #grants(actor: InventoryActor): readonly PermissionGrant[] {
    return (['view', 'requeue'] as const).map((action) =>
      requirePermissionGrant(this.parts.policy, actor, webhookDeliveryModel, action),
    );
  }
}

function createPermissionGrantConditions(grants: readonly PermissionGrant[], parameters: SqlParameters): SqlText[] {
  return grants.flatMap(({ where }) => (where === null ? [] : [`(${where(objectRowAlias, parameters)})`]));
}

async function rejectNotFailedDelivery(tx: Tx, where: SqlText, values: readonly unknown[]): Promise<never> {
  const { rows } = await tx.query<{ status: string }>(
    `SELECT status FROM ${webhookDeliveryModel.table} ${objectRowAlias} WHERE ${where}`,
    [...values],
  );
  const status = rows[0]?.status;
  if (status === undefined)
    throw inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: webhookDeliveryModel.objectName } });
  throw inventoryErrors.create('DELIVERY_NOT_FAILED', { params: { status } });
}

function createValidationError(body: Readonly<Record<string, readonly string[]>>): Error {
  return inventoryErrors.create('VALIDATION_FAILED', { fields: { body } });
}
