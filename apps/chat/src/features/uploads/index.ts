export { uploadsSlice } from './uploads.slice.js';
export { UploadFile } from './upload-file.action.js';
export { getFileContentType } from './upload-content-type.js';
export { generatePathId, toUploadedFileName } from './upload-file-name.js';
