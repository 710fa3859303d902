export { uploadsSlice } from './uploads.slice.js';
export { UploadFile } from './upload-file.action.js';
export { contentTypeOf } from './upload-content-type.js';
export { newPathId, uploadedFileName } from './upload-file-name.js';
