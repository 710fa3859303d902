export { realmImagesFeatureModule } from './realm-images.slice.js';
export { createRealmImageFile, listRealmImageFiles, getRealmImageStorageKey } from './realm-image-file.js';
