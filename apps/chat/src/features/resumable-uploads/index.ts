export { resumableUploadsFeatureModule } from './resumable-uploads.slice.js';
export { removeExpiredUploads } from './remove-expired-uploads.js';
