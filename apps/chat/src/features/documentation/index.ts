export { documentationFeatureModule } from './documentation.slice.js';
