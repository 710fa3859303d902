import { notificationGroup } from '../../models/extras/notification-group.js';
import type { EventAction } from '../destination.js';

/** Notifications for the users of a group, written when the change is matched: no delivery, no request. */
export const notification: EventAction = {
  actionType: 'notification',
  label: 'Notification',
  model: notificationGroup,
  features: [],
};
