import {
  defineRequeuedMessage,
  DeliveryStore,
  requeueMatchingDeliveries,
  type DeliveryTables,
  type RequeueResult,
} from '@switchboard/webhooks';
import type { Outbox, QueueTx } from '@switchboard/queue';
import {
  createDeliveryReceiverSql,
  deliveryActionObjectJsonSql,
  type StoredActionObject,
} from '../destinations/index.js';

/** Type of the action that a delivery performs, with the stored object of the action, such as a webhook. */
export interface DeliveryActionTarget {
  readonly actionType: string;
  /** Stored object of the action, such as a webhook. Null if the object was deleted. */
  readonly destination: StoredActionObject | null;
}

/**
 * Returns the SQL expression of a text that identifies the receiver of a delivery by action type and action object id.
 */
const createDeliveryEndpointSql = (action: string, actionObject: string): string =>
  `(${action} || ' ' || ${actionObject}::text)`;

/**
 * Returns the SQL expression of the column `lane` of a queued delivery. Deliveries about the same object by the same
 * action have the same value in `lane`, and are sent one after another.
 */
export const createDeliveryOrderingKeySql = (
  action: string,
  actionObject: string,
  objectType: string,
  object: string,
): string => `(${action} || ' ' || ${actionObject}::text || ' ' || ${objectType} || ' ' || ${object}::text)`;

/** SQL expression, as JSON, of the {@link DeliveryActionTarget} of a delivery. The delivery's row has the alias `c`. */
export const deliveryTargetSql = `json_build_object('actionType', c.action_type, 'destination', ${deliveryActionObjectJsonSql})`;

/** Names and SQL of the database tables that store the webhook deliveries of the inventory service. */
export const deliveryTables: DeliveryTables = {
  deliveries: 'webhook_deliveries',
  attempts: 'webhook_delivery_attempts',
  laneSql: (d) =>
    createDeliveryOrderingKeySql(`${d}.action_type`, `${d}.action_object_id`, `${d}.object_type`, `${d}.object_id`),
  endpointSql: (d) => createDeliveryEndpointSql(`${d}.action_type`, `${d}.action_object_id`),
  receiverSql: (d) => createDeliveryReceiverSql(`${d}.action_type`, `${d}.action_object_id`),
  targetSql: (d) => {
    if (d !== 'c') throw new RangeError('Action objects are read of a delivery c');
    return deliveryTargetSql;
  },
};

/** Store that runs the SQL statements about webhook deliveries of the inventory service. */
export const createDeliveryStore = new DeliveryStore<DeliveryActionTarget>(deliveryTables);

const deliveryRequeuedMessage = defineRequeuedMessage('webhooks');

/**
 * Selection of the webhook deliveries to requeue. `where` is an SQL condition on rows of the view
 * `extras_webhookdelivery` with the alias `t`.
 */
export interface DeliverySelection {
  readonly where: string;
  /** True to requeue failed deliveries and also to make waiting deliveries due. Default false. */
  readonly waiting?: boolean;
  /** SQL expressions of type `text` that the same SQL statement evaluates, such as checks of filter values. */
  readonly checks?: readonly string[];
  readonly values: readonly unknown[];
}

/**
 * Requeues failed deliveries under their ids, with all attempts of the retry policy (inventory-3-3). Optionally also
 * makes waiting deliveries due.
 *
 * @returns the number of requeued deliveries, and the results of `checks`
 */
export function requeueDeliveries(
  tx: QueueTx,
  outbox: Pick<Outbox, 'add'>,
  { where, ...selection }: DeliverySelection,
): Promise<RequeueResult> {
  return requeueMatchingDeliveries(
    tx,
    { store: createDeliveryStore, outbox, message: deliveryRequeuedMessage },
    { ...selection, from: 'extras_webhookdelivery t', where: `t.id = d.sequence AND ${where}` },
  );
}
