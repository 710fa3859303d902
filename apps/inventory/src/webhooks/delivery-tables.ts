import {
  defineRequeuedMessage,
  DeliveryStore,
  requeueMatchingDeliveries,
  type DeliveryTables,
  type RequeueResult,
} from '@switchboard/webhooks';
import type { Outbox, QueueTx } from '@switchboard/queue';
import { deliveryReceiverSql, storedActionObjectsSql, type StoredActionObject } from '../destinations/index.js';

/** Action of a delivery, with its stored action object. */
export interface DeliveryTarget {
  readonly actionType: string;
  /** Null if the action object was deleted. */
  readonly destination: StoredActionObject | null;
}

/** Returns the SQL expression of the action object to which a delivery is sent, with the type of the action. */
const deliveryEndpointSql = (action: string, actionObject: string): string =>
  `(${action} || ' ' || ${actionObject}::text)`;

/**
 * Returns the SQL expression of the column `lane` of a queued delivery. Deliveries about one object by one action have
 * the same value and are sent one after another.
 */
export const orderingKeySql = (action: string, actionObject: string, objectType: string, object: string): string =>
  `(${action} || ' ' || ${actionObject}::text || ' ' || ${objectType} || ' ' || ${object}::text)`;

/** SQL expression of the {@link DeliveryTarget} of a delivery `c`, as JSON. */
export const deliveryTargetSql = `json_build_object('actionType', c.action_type, 'destination', ${storedActionObjectsSql})`;

/** Tables of the inventory's deliveries. */
export const deliveryTables: DeliveryTables = {
  deliveries: 'webhook_deliveries',
  attempts: 'webhook_delivery_attempts',
  laneSql: (d) => orderingKeySql(`${d}.action_type`, `${d}.action_object_id`, `${d}.object_type`, `${d}.object_id`),
  endpointSql: (d) => deliveryEndpointSql(`${d}.action_type`, `${d}.action_object_id`),
  receiverSql: (d) => deliveryReceiverSql(`${d}.action_type`, `${d}.action_object_id`),
  targetSql: (d) => {
    if (d !== 'c') throw new RangeError('Action objects are read of a delivery c');
    return deliveryTargetSql;
  },
};

/** Statements about the inventory's deliveries. */
export const createDeliveryStore = new DeliveryStore<DeliveryTarget>(deliveryTables);

const requeuedMessage = defineRequeuedMessage('webhooks');

/**
 * Selection of deliveries to requeue: `where` is an SQL condition on rows `t` of the view `extras_webhookdelivery`.
 */
export interface DeliverySelection {
  readonly where: string;
  /** True to make waiting deliveries due, in addition to requeuing failed deliveries. Default false. */
  readonly waiting?: boolean;
  /** SQL expressions of type `text` to evaluate in the same statement, such as checks of filter values. */
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
    { store: createDeliveryStore, outbox, message: requeuedMessage },
    { ...selection, from: 'extras_webhookdelivery t', where: `t.id = d.sequence AND ${where}` },
  );
}
