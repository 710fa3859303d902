export { reactionsSlice } from './reactions.slice.js';
