export { registrationSlice } from './registration.slice.js';
