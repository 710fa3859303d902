import type { Destination, EventAction } from './destination.js';
import { eventActions } from './kinds.js';

const isDestination = (action: EventAction | Destination): action is Destination => 'build' in action;
const destinations = new Map(eventActions.filter(isDestination).map((one) => [one.actionType, one] as const));

/** Labels of the action types of event rules. */
export const actionTypes = Object.fromEntries(eventActions.map(({ actionType, label }) => [actionType, label]));

/** Type of the action object of each action type, `<app>.<model>`. */
export const actionObjectTypes: Readonly<Record<string, string>> = Object.fromEntries(
  eventActions.map(({ actionType, model }) => [actionType, model.type]),
);

/** Models of the action objects. */
export const actionModels = eventActions.map(({ model }) => model);

/** Returns the destination of an action type, or null when no deliveries go by it. */
export function findDestination(actionType: string): Destination | null {
  return destinations.get(actionType) ?? null;
}

/** SQL for the action object of a row `c` of deliveries, as {@link ClaimedDelivery} has it. */
export const storedObjectSql = `CASE c.action_type ${[...destinations]
  .map(([type, { storedSql }]) => `WHEN '${type}' THEN (${storedSql})`)
  .join(' ')} END`;

/** Returns SQL for the receiver of deliveries, given columns with action type and action object. */
export function receiverSql(actionType: string, objectId: string): string {
  const cases = [...destinations].flatMap(([type, { receiverSql: sql }]) =>
    sql === null ? [] : [`WHEN '${type}' THEN (${sql(objectId)})`],
  );
  return `CASE ${actionType} ${cases.join(' ')} END`;
}

/** Returns a condition on the row `rule` of event rules: its action object is of the right type and exists. */
export function hasActionObjectSql(rule: string): string {
  const cases = eventActions.map(
    ({ actionType, model }) => `WHEN '${actionType}' THEN ${rule}.action_object_type = '${model.type}'
      AND EXISTS (SELECT 1 FROM ${model.table} o WHERE o.id = ${rule}.action_object_id)`,
  );
  return `CASE ${rule}.action_type ${cases.join(' ')} END`;
}

export type { ClaimedDelivery, Destination, SendServices, StoredObject } from './destination.js';
export { eventActions } from './kinds.js';
