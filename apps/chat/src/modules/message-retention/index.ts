export { expireMessages, type RetentionTools } from './expire-messages.js';
