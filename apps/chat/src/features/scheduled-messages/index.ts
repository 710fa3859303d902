export { scheduledMessagesSlice } from './scheduled-messages.slice.js';
