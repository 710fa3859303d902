export { submessagesFeatureModule } from './submessages.slice.js';
