import { chatDestinationKind } from './chat/index.js';
import type { Destination, EventAction } from './define-destination.js';
import { notificationAction } from './notification/index.js';
import { scriptAction } from './script/index.js';
import { webhookDestination } from './webhook/index.js';

/**
 * Actions that event rules can trigger, in the order shown to users. If an action is a destination, each matching event
 * creates a delivery.
 */
export const eventActions: readonly (EventAction | Destination)[] = [
  webhookDestination,
  scriptAction,
  notificationAction,
  chatDestinationKind,
];
