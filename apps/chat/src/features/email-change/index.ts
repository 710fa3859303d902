export { emailChangeSlice } from './email-change.slice.js';
export { RequestEmail } from './request-email.js';
