import { notificationGroup } from '../../models/extras/notification-group.js';
import type { EventAction } from '../define-destination.js';

/**
 * Action that notifies the users of a group. Notifications are written when a change matches an event rule, without a
 * delivery.
 */
export const notification: EventAction = {
  actionType: 'notification',
  label: 'Notification',
  model: notificationGroup,
  features: [],
};
