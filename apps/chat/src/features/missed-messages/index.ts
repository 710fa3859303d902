export { missedMessagesFeatureModule } from './missed-messages.slice.js';
