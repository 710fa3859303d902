export { devicesFeatureModule } from './devices.slice.js';
