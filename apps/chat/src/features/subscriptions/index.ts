export { subscriptionsFeatureModule } from './subscriptions.slice.js';
