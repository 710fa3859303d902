export { realmImagesSlice } from './realm-images.slice.js';
export { realmImageFiles } from './realm-image-file.js';
