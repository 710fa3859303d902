export { missedMessagesSlice } from './missed-messages.slice.js';
