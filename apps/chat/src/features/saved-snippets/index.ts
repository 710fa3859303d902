export { savedSnippetsFeatureModule } from './saved-snippets.slice.js';
