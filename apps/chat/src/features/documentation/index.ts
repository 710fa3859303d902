export { documentationSlice } from './documentation.slice.js';
