export { userStatusFeatureModule } from './user-status.slice.js';
