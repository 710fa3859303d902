export { emailChangeFeatureModule } from './email-change.slice.js';
export { RequestEmailChange } from './request-email-change.js';
