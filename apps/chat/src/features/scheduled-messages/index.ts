export { retryMessagesOfReactivatedRealm } from './retry-messages-of-reactivated-realm.js';
export { ScheduleWelcomeMessage } from './schedule-welcome-message.js';
export { scheduledMessagesFeatureModule } from './scheduled-messages.slice.js';
