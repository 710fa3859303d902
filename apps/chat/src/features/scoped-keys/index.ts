export { scopedKeysFeatureModule } from './scoped-keys.slice.js';
