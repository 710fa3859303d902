export { realmImagesSlice } from './realm-images.slice.js';
export { realmImageFile, realmImageFiles, storageKey } from './realm-image-file.js';
