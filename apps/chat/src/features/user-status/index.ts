export { userStatusSlice } from './user-status.slice.js';
