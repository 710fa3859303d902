import { UndeliverableError, type ClaimedDelivery as EngineDelivery, type EndpointSource } from '@switchboard/webhooks';
import {
  findDestinationOfActionType,
  type ClaimedEventDelivery,
  type EventDestination,
  type DestinationRequestServices,
} from '../destinations/index.js';
import { type DeliveryActionTarget, deliveryTables } from './delivery-tables.js';

/**
 * Returns the source from which the delivery engine gets the receivers of deliveries. The receiver of a delivery is the
 * action object of its event rule, such as a webhook.
 */
export function createActionEndpointSource(
  services: Omit<DestinationRequestServices, 'nowMs'>,
): EndpointSource<DeliveryActionTarget> {
  return {
    tables: deliveryTables,
    build: async (delivery, nowMs) => {
      const claimed = separateActionFromTarget(delivery);
      return requireDestination(claimed.actionType).build(claimed, { ...services, nowMs });
    },
    checkResponse: (response, nowMs, delivery) =>
      requireDestination(separateActionFromTarget(delivery).actionType).checkResponse(response, nowMs),
    logFields: (delivery) => {
      const { actionType, destination } = separateActionFromTarget(delivery);
      return { actionType, destination: destination?.name };
    },
  };
}

function separateActionFromTarget({ target, ...delivery }: EngineDelivery<DeliveryActionTarget>): ClaimedEventDelivery {
  return { ...delivery, actionType: target?.actionType ?? '', destination: target?.destination ?? null };
}

function requireDestination(actionType: string): EventDestination {
  const destination = findDestinationOfActionType(actionType);
  if (destination === null) throw new UndeliverableError(`Nothing delivers actions of type ${actionType}.`);
  return destination;
}
