export { typingSlice } from './typing.slice.js';
