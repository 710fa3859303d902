export { staticImagesSlice } from './static-images.slice.js';
