import { chatDestinationKind } from './chat/index.js';
import type { Destination, EventAction } from './define-destination.js';
import { notificationAction } from './notification/index.js';
import { scriptAction } from './script/index.js';
import { webhookDestination } from './webhook/index.js';

/**
 * Actions of event rules, in the order shown to users. If the action is a destination, each event creates a delivery.
 */
export const eventActions: readonly (EventAction | Destination)[] = [
  webhookDestination,
  scriptAction,
  notificationAction,
  chatDestinationKind,
];
