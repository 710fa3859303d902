export { removeOldSubscriptionChanges } from './remove-old-changes.js';
