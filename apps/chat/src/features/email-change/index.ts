export { emailChangeSlice } from './email-change.slice.js';
export { RequestEmailChange } from './request-email-change.js';
