import { chatDestination } from './chat-destination.js';
import type { Destination } from './destination.js';
import { scriptDestination } from './script-destination.js';
import { webhookDestination } from './webhook-destination.js';

/**
 * Every kind of destination by the action type of its event rules.
 *
 * Stored objects come from the kind's own `storedSql` and go back to its own `build`, so nothing else looks into them.
 */
export const destinations: Readonly<Record<string, Destination<never>>> = {
  webhook: webhookDestination,
  chat: chatDestination,
  script: scriptDestination,
};

/**
 * SQL for who receives deliveries, given columns with action type and action object: what goes to one receiver shares
 * places and a circuit breaker.
 */
export function receiverSql(actionType: string, objectId: string): string {
  const cases = Object.entries(destinations).flatMap(([type, { receiverSql: sql }]) =>
    sql === null ? [] : [`WHEN '${type}' THEN (${sql(objectId)})`],
  );
  return `CASE ${actionType} ${cases.join(' ')} END`;
}

export type { BuildEnvironment, ClaimedDelivery, Destination, OpenSecret } from './destination.js';
export type { StoredObject } from './stored-object.js';
