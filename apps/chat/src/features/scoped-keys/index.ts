export { scopedKeysSlice } from './scoped-keys.slice.js';
