export { staticImagesFeatureModule } from './static-images.slice.js';
