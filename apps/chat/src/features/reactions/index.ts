export { reactionsFeatureModule } from './reactions.slice.js';
