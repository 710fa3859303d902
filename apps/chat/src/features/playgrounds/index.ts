export { playgroundsFeatureModule } from './playgrounds.slice.js';
