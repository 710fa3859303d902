export { ScheduleWelcomeMessage } from './schedule-welcome-message.js';
export { scheduledMessagesFeatureModule } from './scheduled-messages.slice.js';
