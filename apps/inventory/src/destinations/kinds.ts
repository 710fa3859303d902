import { chatDestinationKind } from './chat/index.js';
import type { EventDestination, EventRuleAction } from './define-destination.js';
import { notificationEventRuleAction } from './notification/index.js';
import { scriptEventRuleAction } from './script/index.js';
import { webhookDestination } from './webhook/index.js';

/**
 * Actions that event rules can trigger, in the order shown to users. If an action is a destination, each matching event
 * creates a delivery.
 */
export const eventRuleActions: readonly (EventRuleAction | EventDestination)[] = [
  webhookDestination,
  scriptEventRuleAction,
  notificationEventRuleAction,
  chatDestinationKind,
];
