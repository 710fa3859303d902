import { notificationGroupModel } from '../../models/extras/notification-group.js';
import type { EventRuleAction } from '../define-destination.js';

/**
 * Action that notifies the users of a group. Notifications are written directly when a change matches an event rule,
 * without a delivery.
 */
export const notificationEventRuleAction: EventRuleAction = {
  actionType: 'notification',
  label: 'Notification',
  model: notificationGroupModel,
  features: [],
};
