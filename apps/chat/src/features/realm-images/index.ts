export { realmImagesSlice } from './realm-images.slice.js';
