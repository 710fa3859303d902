export { playgroundsSlice } from './playgrounds.slice.js';
