import type { EventDestination, EventRuleAction } from './define-destination.js';
import { eventRuleActions } from './kinds.js';

const isActionWithDestination = (action: EventRuleAction | EventDestination): action is EventDestination =>
  'build' in action;
const eventDestinationByActionType = new Map(
  eventRuleActions.filter(isActionWithDestination).map((one) => [one.actionType, one] as const),
);

/** Map from the action types of event rules to the labels of the action types. */
export const eventActionTypeLabels = Object.fromEntries(
  eventRuleActions.map(({ actionType, label }) => [actionType, label]),
);

/** Map from the action types of event rules to the models (`<app>.<model>`) of the action objects. */
export const objectModelByActionType: Readonly<Record<string, string>> = Object.fromEntries(
  eventRuleActions.map(({ actionType, model }) => [actionType, model.type]),
);

/** Models of the objects to which event rules can send events, such as webhooks. */
export const actionObjectModels = eventRuleActions.map(({ model }) => model);

/** Returns the destination kind of an action type, or null for an action that creates no deliveries. */
export function findDestinationOfActionType(actionType: string): EventDestination | null {
  return eventDestinationByActionType.get(actionType) ?? null;
}

/** SQL expression for the action object (such as a webhook) of a delivery `c` as JSON: the `target` of `ClaimedDelivery`. */
export const deliveryActionObjectJsonSql = `CASE c.action_type ${[...eventDestinationByActionType]
  .map(([type, { storedSql }]) => `WHEN '${type}' THEN (${storedSql})`)
  .join(' ')} END`;

/**
 * Returns the SQL expression for a delivery's receiver, given the columns with the delivery's action type and action
 * object id.
 */
export function createDeliveryReceiverSql(actionType: string, objectId: string): string {
  const cases = [...eventDestinationByActionType].flatMap(([type, { receiverSql: sql }]) =>
    sql === null ? [] : [`WHEN '${type}' THEN (${sql(objectId)})`],
  );
  return `CASE ${actionType} ${cases.join(' ')} END`;
}

/**
 * Returns the SQL condition that the event rule `rule` refers to an existing action object of the model that belongs to
 * the rule's action type.
 */
export function createHasActionObjectSql(rule: string): string {
  const cases = eventRuleActions.map(
    ({ actionType, model }) => `WHEN '${actionType}' THEN ${rule}.action_object_type = '${model.type}'
      AND EXISTS (SELECT 1 FROM ${model.table} o WHERE o.id = ${rule}.action_object_id)`,
  );
  return `CASE ${rule}.action_type ${cases.join(' ')} END`;
}

export type {
  ClaimedEventDelivery,
  EventDestination,
  DestinationRequestServices,
  StoredActionObject,
} from './define-destination.js';
export { eventRuleActions } from './kinds.js';
