export { linkifiersFeatureModule } from './linkifiers.slice.js';
export { addLinkifier } from './linkifiers.repository.js';
