export { ScheduleWelcomeMessage } from './schedule-welcome-message.js';
export { scheduledMessagesSlice } from './scheduled-messages.slice.js';
