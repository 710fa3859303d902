export { serverVersionFeatureModule } from './server-version.slice.js';
export { announceVersion } from './announce-version.js';
