export { navigationViewsFeatureModule } from './navigation-views.slice.js';
