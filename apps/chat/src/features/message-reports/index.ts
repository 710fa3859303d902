export { messageReportsFeatureModule } from './message-reports.slice.js';
