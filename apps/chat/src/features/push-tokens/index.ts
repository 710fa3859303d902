export { pushTokensFeatureModule } from './push-tokens.slice.js';
