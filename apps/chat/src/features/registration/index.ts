export { registrationFeatureModule } from './registration.slice.js';
