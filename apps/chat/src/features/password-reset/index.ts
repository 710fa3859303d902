export { passwordResetFeatureModule } from './password-reset.slice.js';
