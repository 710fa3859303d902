export { uploadsFeatureModule } from './uploads.slice.js';
export { UploadFile } from './upload-file.action.js';
export { getFileContentType } from './upload-content-type.js';
export { generateUploadedFilePath, sanitizeUploadedFileName } from './upload-file-name.js';
