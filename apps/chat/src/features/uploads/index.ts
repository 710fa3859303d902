export { uploadsSlice } from './uploads.slice.js';
export { contentTypeOf } from './content-type.js';
export { newPathId, uploadedFileName } from './file-name.js';
