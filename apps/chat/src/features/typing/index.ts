export { typingFeatureModule } from './typing.slice.js';
