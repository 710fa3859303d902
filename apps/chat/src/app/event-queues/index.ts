export { eventQueuesFeatureModule } from './event-queues.slice.js';
