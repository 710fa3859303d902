export { uploadsSlice } from './uploads.slice.js';
