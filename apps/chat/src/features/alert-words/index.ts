export { alertWordsFeatureModule } from './alert-words.slice.js';
