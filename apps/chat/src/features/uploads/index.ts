export { uploadsSlice } from './uploads.slice.js';
export { UploadFile } from './upload-file.action.js';
export { contentTypeOf } from './content-type.js';
export { newPathId, uploadedFileName } from './file-name.js';
